/** What a compaction is called in one line, in terminals, files and on screens. */
import type { CompactionEntry } from '../message.ts';

type Sizes = Pick<CompactionEntry, 'tokensBefore' | 'tokensAfter' | 'auto' | 'undone'>;

/** `182,340 → 31,000 tokens`. */
function compactionSizes({ tokensBefore, tokensAfter }: Pick<Sizes, 'tokensBefore' | 'tokensAfter'>): string {
  const number = (tokens: number): string => tokens.toLocaleString('en-US');
  return `${number(tokensBefore)} → ${number(tokensAfter)} tokens`;
}

export function compactionText(entry: Sizes): string {
  const who = entry.auto ? '' : ' by the person';
  return `Context compacted${who}: ${compactionSizes(entry)}${entry.undone ? ' (undone)' : ''}`;
}
