/** Tables that fit the terminal: columns shrink and leave by their rank, and become blocks where nothing else fits. */

export interface Column {
  title: string;
  /** Columns of a higher rank leave first; one without a rank always stays. */
  rank?: number;
  /** May be cut, down to this width; a column without it is shown whole or not at all. */
  min?: number;
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
  let spare = width - needed();
  const fitted = shown.map((column) => {
    const least = Math.min(column.min ?? column.width, column.width);
    const more = Math.min(column.width - least, spare);
    spare -= more;
    return { ...column, width: least + more };
  });
  const line = (cells: readonly string[]) =>
    fitted
      .map((column) => pad(cut(cells[column.index] ?? '', column.width), column.width, column.align))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

function widest(column: Column, rows: readonly (readonly string[])[], index: number): number {
  return rows.reduce((most, cells) => Math.max(most, displayWidth(cells[index] ?? '')), displayWidth(column.title));
}

/** The first cell on a line of its own, the columns that always stay below it. */
function blocks(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string[] {
  const rest = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => index > 0 && column.rank === undefined);
  return rows.flatMap((cells) => [
    cut(cells[0] ?? '', width),
    ...rest.map(({ index }) => cut(`  ${cells[index] ?? ''}`, width)).filter((line) => line.trim() !== ''),
  ]);
}

function pad(text: string, width: number, align: 'right' | undefined): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

/** At most `width` cells, with a mark where something was left out. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The text on lines of at most `width` cells, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines = [''];
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const line = lines.at(-1) ?? '';
    const cells = displayWidth(segment);
    if (used + cells <= width || line === '') {
      lines[lines.length - 1] = line + segment;
      used += cells;
      continue;
    }
    const space = segment === ' ' ? line.length : line.lastIndexOf(' ');
    // A space at which a line ends is not shown.
    const rest = space > 0 ? line.slice(space + 1) : '';
    if (space > 0) lines[lines.length - 1] = line.slice(0, space);
    lines.push(segment === ' ' ? '' : rest + segment);
    used = segment === ' ' ? 0 : displayWidth(rest) + cells;
  }
  return lines;
}

/** Cells that a terminal gives to the text: two for East Asian wide characters and emoji, none for marks. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text))
    width += WIDE.test(segment) ? 2 : NOTHING.test(segment) ? 0 : 1;
  return width;
}

const WIDE =
  /^(\p{Emoji_Presentation}|\p{Extended_Pictographic}\u{fe0f}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;
const NOTHING = /^[\p{Mark}\p{Cf}]+$/u;
