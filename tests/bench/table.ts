/** Prints figures as a table of plain text. */
import type { Figure } from './figure.ts';

const HEAD = ['figure', 'unit', 'bar', 'ours', 'floor', 'ratio', 'met', ''];
const RIGHT = new Set([3, 4, 5]);

export function tableOf(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          if (column === HEAD.length - 1) return cell;
          const width = widths[column] ?? 0;
          return RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf({ title, unit, bar, ours, floor, ratio, met, note }: Figure): string[] {
  const verdict = met === null ? '' : met ? 'yes' : 'NO';
  const times = ratio === null ? '' : ratio.toFixed(2);
  return [title, unit, bar, numberText(ours), numberText(floor), times, verdict, note];
}

function numberText(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  return value.toFixed(size >= 1000 ? 0 : size >= 100 ? 1 : 2);
}
