/** Applies the suggested correction of a fault to the text of an agent's file. */
import type { Fault } from '#contract/agent.ts';

/** Offset in UTF-16 code units of a line and a column, both from 1. */
function offsetOf(text: string, { line, column }: Pick<Fault, 'line' | 'column'>): number {
  const lines = text.split('\n').slice(0, line - 1);
  return Math.min(lines.reduce((sum, one) => sum + one.length + 1, 0) + column - 1, text.length);
}

/** The range `[from, to)` of the word at a fault, in UTF-16 code units. */
export function wordAt(text: string, fault: Pick<Fault, 'line' | 'column'>): { from: number; to: number } {
  const from = offsetOf(text, fault);
  const word = /^(?:"[^"\n]*"|'[^'\n]*'|[\p{L}\p{N}_.-]*)/u.exec(text.slice(from))?.[0] ?? '';
  return { from, to: from + word.length };
}

/** The corrected text; null where nothing is suggested, or no word is at that position. */
export function fixed(text: string, fault: Fault): string | null {
  const { from, to } = wordAt(text, fault);
  if (fault.suggestion === null || from === to) return null;
  const quote = /^["']/.exec(text.slice(from))?.[0] ?? '';
  return `${text.slice(0, from)}${quote}${fault.suggestion}${quote}${text.slice(to)}`;
}
