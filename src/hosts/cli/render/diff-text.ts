/** A unified diff for the terminal: nothing in it hides, and a long run of blank lines stands as its length. Pure. */
import { foldBlankLines } from '#contract/visible-text.ts';
import { visible } from '../terminal/visible.ts';

/** Lines that are added, taken out, or stay, and are blank otherwise. */
const BLANK = /^[+\- ][ \t]*$/;

/** Each with its sign. */
export function diffText(diff: string): string[] {
  const lines = diff.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return foldBlankLines(lines, (line) => (BLANK.test(line) ? line.charAt(0) : null)).map((line) =>
    typeof line === 'string' ? visible(line) : `${line.first.charAt(0)}${line.gap.text}`,
  );
}
