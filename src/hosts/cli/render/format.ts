/** Numbers as people read them in a terminal. */
import type { Times } from '#contract/history/work-times.ts';
import type { Tally, Usage } from '#contract/outcome.ts';
import { cachedText, estimatedTokensOf } from '#domain/tally.ts';
import { searchesText } from '#contract/web-search.ts';

export function duration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long it worked, and apart from that how long it waited for the person. */
export function timesText(times: Times | null): string {
  if (times === null || times.waitedMs < BRIEF_MS) return duration(times?.workMs ?? null);
  return `${duration(times.workMs)} work, ${duration(times.waitedMs)} waiting for you`;
}

/** Below this an answer was no wait. */
const BRIEF_MS = 1000;

/** As two fields beside `durationMs`; null before its end. */
export function timeFields(times: Times | null): { workMs: number | null; waitedMs: number | null } {
  return { workMs: times?.workMs ?? null, waitedMs: times?.waitedMs ?? null };
}

/** From these fields. */
export function timesIn({ workMs, waitedMs }: ReturnType<typeof timeFields>): Times | null {
  return workMs === null || waitedMs === null ? null : { workMs, waitedMs };
}

/** Every class of token, of a total or in its outward form. */
function tokenCount(usage: Tally | Usage): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return (inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens).toLocaleString('en-US');
}

/** Likewise for a column: marked where a part of it is estimated. */
export function tokenCell(usage: Tally | Usage): string {
  return `${estimatedTokensOf(usage) > 0 ? '≈ ' : ''}${tokenCount(usage)}`;
}

/** Likewise with its unit, how much of it is estimated, how much of the input was cached, and the searches of the web. */
export function tokens(usage: Tally | Usage): string {
  const estimated = estimatedTokensOf(usage);
  const part = estimated > 0 ? ` (of which ${estimated.toLocaleString('en-US')} estimated)` : '';
  const cached = cachedText(usage);
  return `${tokenCount(usage)} tokens${part}${cached === null ? '' : `, ${cached}`}${searchesText(usage.webSearches)}`;
}

/** Null where any price is unknown. */
export function cost(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** An instant in the local zone, to the second. */
export function localTime(instant: string): string {
  const date = new Date(instant);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
