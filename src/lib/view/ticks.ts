/** Round places on an axis. Pure. */

/** Steps of an axis of numbers, within each power of ten. */
const ROUND = [1, 2, 5, 10];
/** Steps of an axis of time, in milliseconds. */
const TIMES = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60_000),
];

/** From 0 to at least `most`, about `count` steps; `[0, 1]` where there is nothing. */
export function ticksTo(most: number, count = 3): number[] {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / count));
  const step = (ROUND.find((round) => round * power * count >= most * (1 - 1e-9)) ?? 10) * power;
  const steps = Math.ceil(most / step - 1e-9);
  // Without the tails of binary fractions.
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The round step at which at most `count` ticks stand in a time, in milliseconds. */
export function timeStep(ms: number, count: number): number {
  const least = ms / Math.max(1, count);
  const day = 86_400_000;
  return TIMES.find((step) => step >= least) ?? Math.ceil(least / day) * day;
}
