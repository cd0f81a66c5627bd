/** Markdown fragments that their content cannot break out of. */
import type { Approval, Decision } from '#contract/approval.ts';
import { andMore, wroteOf } from '#domain/call-row.ts';
import { compactionText } from '#contract/context/compaction-text.ts';
import type { Entry, Image } from '#contract/message.ts';
import { forksText, TAKEN_TEXT, wentOnText } from '#contract/messages/fork-text.ts';
import { picturesText } from '#contract/messages/pictures-text.ts';
import { unreadWords } from '#contract/messages/unread-words.ts';
import type { Tally } from '#contract/outcome.ts';
import { cachedText, estimatedTokensOf } from '#domain/tally.ts';
import { searchesText } from '#contract/web-search.ts';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import type { Times } from '#contract/history/work-times.ts';

/** A duration as a suffix of a list item; empty for null. */
export function seconds(ms: number | null): string {
  return ms === null ? '' : `, ${(ms / 1000).toFixed(3)} s`;
}

/** How long it worked, and what it waited for the person, in the same way. */
export function worked(times: Times | null): string {
  const waited = times && times.waitedMs > 0 ? `${seconds(times.waitedMs)} waiting for you` : '';
  return `${seconds(times?.workMs ?? null)}${waited === '' ? '' : ' of work'}${waited}`;
}

export function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** As list items: that it was taken over or went on from a step, and the forks that were made at it. */
export function forked(workflow: Pick<WorkflowRow, 'copiedFrom' | 'forks' | 'from'>): string[] {
  const copied = workflow.copiedFrom ? [TAKEN_TEXT] : [];
  const lines = [...copied, ...wentOnText(workflow), ...forksText(workflow)];
  return lines.map((line) => `- ${line}.`);
}

/** As a list item of its own, below the words; none without pictures. */
export function pictures(images: readonly Image[] | null | undefined): string[] {
  const said = picturesText(images);
  return said === null ? [] : ['', `- ${said}`];
}

/** Each time that the context of a run was summarised, as a list item. */
export function compactionItems(entries: readonly Entry[] = []): string[] {
  return entries.flatMap((entry) => (entry.kind === 'compaction' ? [`- ${compactionText(entry)}, ${entry.at}`] : []));
}

/** What the person said to a run while it worked, each with its time, as list items; `entries`: which of it the run has read. */
export function wordItems({ said }: Pick<RunRow, 'said'>, entries: readonly Entry[] = []): string[] {
  const unread = new Set(unreadWords(said, entries).map(({ id }) => id));
  return (said ?? []).flatMap(({ id, text, at }) => [
    `- Said at ${at}${unread.has(id) ? ', and not read by the agent' : ''}:`,
    '',
    quote(text),
    '',
  ]);
}

/** A block whose fence is longer than any in the text. */
export function fence(text: string, language = ''): string {
  const ticks = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${ticks}${language}\n${clean(text)}\n${ticks}`;
}

/** Inline code, whatever the text contains. */
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

/** Inline text, escaped. */
export function inline(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#|~&]/g, '\\$&');
}

function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim();
}

/** Foreign Markdown as a block quote: nothing that it opens continues after it, and no wikilink in it is a link. */
export function quote(text: string): string {
  return escapeWikilinks(clean(text).trimEnd())
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/**
 * Escapes `[[`, except in blocks of code, where no reader makes links and a backslash would be shown. Only a fence without
 * indentation counts as one, and none after a line that could be HTML or another kind of fence: those may hide its start.
 */
function escapeWikilinks(text: string): string {
  let fenceMarks: string | null = null;
  let isCertain = true;
  const escaped = text.split('\n').map((line) => {
    const escapedLine = line.replaceAll('[[', String.raw`\[\[`);
    if (fenceMarks !== null) {
      const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (marks?.startsWith(fenceMarks)) fenceMarks = null;
      return line;
    }
    const marks = /^(`{3,}|~{3,})[^`]*$/.exec(line)?.[1];
    if (marks !== undefined && isCertain) fenceMarks = marks;
    else if (/`{3}|~{3}|^[\s>*+\-\d.)]*</.test(line)) isCertain = false;
    return escapedLine;
  });
  return escaped.join('\n');
}

/** Replaces NUL, at which Markdown readers stop, and normalizes line ends. */
function clean(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(/\r\n?/g, '\n');
}

/** What the person asked back before deciding, with the agent's replies. */
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

/** The decision on an approval, in words. */
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

/** What a call wrote, by its first file, and each time that this was undone or written again; null where it wrote none. */
export function wrote(call: ToolCallRow | undefined): string | null {
  const [path, ...also] = call ? wroteOf(call) : [];
  if (path === undefined) return null;
  const undos = (call?.undos ?? []).map(
    ({ undone, at }) => `${undone ? 'undone' : 'written again'} by person at ${at}`,
  );
  return [`${code(path)}${andMore(also)}`, ...undos].join(', ');
}

/** Billionths of a US dollar; null is unknown. */
export function dollars(nanoUsd: number | null): string {
  return nanoUsd === null ? 'cost unknown' : `$${(nanoUsd / 1e9).toFixed(6)}`;
}

export function used(tally: Tally): string {
  const { requests, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, nanoUsd, unpriced } = tally;
  const estimated = estimatedTokensOf(tally);
  const part = estimated > 0 ? `, of which ${estimated} tokens are estimated` : '';
  const cached = cachedText(tally);
  const cost = dollars(unpriced > 0 ? null : nanoUsd);
  return `${requests} requests, ${inputTokens} input tokens, ${cacheReadTokens} read from the cache${cached === null ? '' : ` (${cached})`}, ${cacheWriteTokens} written to it, ${outputTokens} output tokens${part}${searchesText(tally.webSearches)}, ${cost}`;
}
