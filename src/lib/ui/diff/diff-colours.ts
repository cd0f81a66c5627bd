/** Colours for the lines of a difference: each side of each piece is coloured as code, whose lines the difference shows. */
import type { DiffLine } from './diff-lines.ts';
import type { ColouredToken } from '../markdown/highlight.worker.ts';

/** Code that stands together on one side, and the lines that are shown with its colours; null: shown with the other side's. */
interface Side {
  code: string;
  lines: (DiffLine | null)[];
}

/** The ending of the changed file, without the dot; empty where it has none. */
export function endingOf(diff: string): string {
  const name = /^\+\+\+ ([^\t\n]*)/m.exec(diff)?.[1]?.split('/').at(-1) ?? '';
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
}

/** Both sides of every piece. What is the same is coloured as it stands afterwards. */
export function sidesOf(lines: readonly DiffLine[]): Side[] {
  const sides: Side[] = [];
  let piece: DiffLine[] = [];
  const end = (): void => {
    const before = piece.filter(({ kind }) => kind !== 'added');
    const after = piece.filter(({ kind }) => kind !== 'removed');
    if (after.length > 0) sides.push({ code: codeOf(after), lines: after });
    if (before.some(({ kind }) => kind === 'removed'))
      sides.push({ code: codeOf(before), lines: before.map((line) => (line.kind === 'removed' ? line : null)) });
    piece = [];
  };
  for (const line of lines) {
    if (line.kind !== 'place') piece.push(line);
    else if (line.text.startsWith('@@')) end();
  }
  end();
  return sides;
}

const codeOf = (lines: readonly DiffLine[]): string => lines.map(({ text }) => text).join('\n');

/** The tokens of each line that has any. A line whose tokens are not exactly its text stays plain. */
export async function coloursOf(
  sides: readonly Side[],
  highlight: (code: string) => Promise<ColouredToken[][] | null>,
): Promise<Map<DiffLine, ColouredToken[]>> {
  const colours = new Map<DiffLine, ColouredToken[]>();
  const coloured = await Promise.all(sides.map(({ code }) => highlight(code)));
  for (const [index, { lines }] of sides.entries()) {
    for (const [at, line] of lines.entries()) {
      const tokens = coloured[index]?.[at];
      if (line && tokens && tokens.map(({ text }) => text).join('') === line.text) colours.set(line, tokens);
    }
  }
  return colours;
}
