/** Breaks a line of text into lines of a number of terminal columns. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/**
 * Lines of at most `width` columns, broken at spaces. A word that is wider than a line starts on a line of its own and
 * is broken where the line is full. The indentation of the first line stays.
 */
export function wrap(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text];
  const indentation = text.length - text.trimStart().length;
  // wrap-ansi drops spaces at the start of a line: a stand-in of the same width keeps its place.
  const words = ('>'.repeat(indentation) + text.slice(indentation)).split(' ');
  const groups: string[][] = [[]];
  for (const word of words) {
    if (stringWidth(word) > width) groups.push([]);
    groups.at(-1)?.push(word);
  }
  const lines = groups
    .filter((group) => group.some((word) => word !== ''))
    .flatMap((group) => wrapAnsi(group.join(' '), width, { hard: true }).split('\n'));
  return lines.map((line, index) => (index === 0 ? ' '.repeat(indentation) + line.slice(indentation) : line));
}
