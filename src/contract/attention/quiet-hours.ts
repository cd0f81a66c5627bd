/** The hours in which nothing is heard or shown, by the clock on the wall. Pure. */
import type { Signals } from './signals.ts';

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * From `quietFrom` up to, but without, `quietTo`, over midnight where that is the earlier one; never where they are the
 * same. By the hands of the clock: an hour that daylight saving skips or repeats is as quiet as its number says.
 */
export function isQuiet({ quietFrom, quietTo }: Pick<Signals, 'quietFrom' | 'quietTo'>, at: Date): boolean {
  if (quietFrom === null || quietTo === null) return false;
  const [from, to, now] = [minutesOf(quietFrom), minutesOf(quietTo), at.getHours() * 60 + at.getMinutes()];
  return from <= to ? from <= now && now < to : now >= from || now < to;
}
