/** Tables that fit the terminal: columns shrink and leave by their rank, and become blocks where nothing else fits. */
import stringWidth from 'string-width';
import { truncate } from './truncate.ts';

export interface Column {
  title: string;
  /** Columns of a higher rank leave first; one without a rank always stays. */
  rank?: number;
  /** May be cut, down to this width; a column without it is shown whole or not at all. */
  min?: number;
  /** Takes an equal part of the free width, before columns that do not share. */
  share?: boolean;
  align?: 'right';
}

const GAP = 2;

/** Cells are single lines of visible text. An infinite width cuts nothing. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  let shown = columns.map((column, index) => ({ ...column, index, width: widest(column, rows, index) }));
  const needed = () =>
    shown.reduce((sum, { min, width: full }) => sum + Math.min(min ?? full, full), GAP * (shown.length - 1));
  while (needed() > width && shown.some(({ rank }) => rank !== undefined)) {
    const last = Math.max(...shown.map(({ rank }) => rank ?? -Infinity));
    shown = shown.filter(({ rank }) => rank !== last);
  }
  if (needed() > width) return blocks(columns, rows, width);
  const fitted = widenColumns(shown, width - needed());
  const line = (cells: readonly string[]) =>
    fitted
      .map((column) => pad(truncate(cells[column.index] ?? '', column.width), column.width, column.align))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

/** Distributes the free width over the columns. */
function widenColumns<T extends Column & { width: number }>(columns: readonly T[], free: number): T[] {
  const missing = columns.map(({ min, width }) => width - Math.min(min ?? width, width));
  const more = columns.map(() => 0);
  const all = columns.map((_, index) => index);
  // The columns that need least come first, so that the next ones get the rest.
  const sharing = all.filter((index) => columns[index]?.share).sort((a, b) => missing[a]! - missing[b]!);
  let spare = free;
  const give = (index: number, most: number): void => {
    more[index] = Math.min(missing[index]!, most);
    spare -= more[index];
  };
  for (const [place, index] of sharing.entries()) give(index, Math.floor(spare / (sharing.length - place)));
  for (const index of all.filter((one) => !columns[one]?.share)) give(index, spare);
  return columns.map((column, index) => ({ ...column, width: column.width - missing[index]! + more[index]! }));
}

function widest(column: Column, rows: readonly (readonly string[])[], index: number): number {
  return rows.reduce((most, cells) => Math.max(most, stringWidth(cells[index] ?? '')), stringWidth(column.title));
}

/** The first cell on a line of its own, the columns that always stay below it. */
function blocks(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const rest = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => index > 0 && column.rank === undefined);
  return rows.flatMap((cells) => [
    truncate(cells[0] ?? '', width),
    ...rest.map(({ index }) => truncate(`  ${cells[index] ?? ''}`, width)).filter((line) => line.trim() !== ''),
  ]);
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return align === 'right' ? space + text : text + space;
}
