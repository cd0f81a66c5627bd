/** Pieces of Markdown that no content can break out of. */
import type { Approval, Decision } from '#contract/approval.ts';
import type { Tally } from '#contract/outcome.ts';

/** After something else in a list; nothing where there is no time. */
export function seconds(ms: number | null): string {
  return ms === null ? '' : `, ${(ms / 1000).toFixed(3)} s`;
}

export function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** A block whose fence is longer than any in the text. */
export function fence(text: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${ticks}${language}\n${clean(text)}\n${ticks}`;
}

/** As code within a line, whatever stands in it. */
export function code(text: string): string {
  const line = oneLine(text);
  const longest = longestTicks(line);
  const ticks = '`'.repeat(longest + 1);
  return longest > 0 ? `${ticks} ${line} ${ticks}` : `${ticks}${line || ' '}${ticks}`;
}

function longestTicks(text: string): number {
  let longest = 0;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  return longest;
}

/** As text within a line. */
export function inline(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#|~&]/g, '\\$&');
}

function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim();
}

/** Markdown of somebody else, shown as it is meant: what it opens ends with it. */
export function quote(text: string): string {
  return clean(text)
    .trimEnd()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Readers of Markdown stop at a NUL, and a return of its own ends a line. */
export function clean(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(/\r\n?/g, '\n');
}

/** What the person asked back before deciding, with what was said to it. */
export function exchanges(context: Approval['context'] = []): string[] {
  return context.flatMap(({ question, answer, error, at }) => [
    `- Asked back at ${at}:`,
    '',
    quote(question),
    '',
    ...(answer === null ? [`Not answered: ${inline(error ?? 'no answer yet')}`] : [quote(answer)]),
    '',
  ]);
}

/** What became of a question, in words. */
export function decided(decision: Decision | null): string {
  if (!decision) return 'not answered';
  const { allowed, outcome, decidedBy, ruleId, reason, at } = decision;
  const answer = allowed
    ? outcome === 'edited'
      ? 'approved with changes'
      : 'approved'
    : outcome === 'cancelled'
      ? 'cancelled'
      : 'rejected';
  const by = ruleId === null ? decidedBy : `${decidedBy} ${code(ruleId)}`;
  return `${answer} by ${by} at ${at}${reason === null ? '' : `, reason: ${inline(reason)}`}`;
}

export function used({
  requests,
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
  nanoUsd,
  unpriced,
}: Tally): string {
  const cost = unpriced > 0 ? 'cost unknown' : `$${(nanoUsd / 1e9).toFixed(6)}`;
  return `${requests} requests, ${inputTokens} input tokens, ${cacheReadTokens} read from the cache, ${cacheWriteTokens} written to it, ${outputTokens} output tokens, ${cost}`;
}
