/** Cuts a line of text to a number of terminal columns. */
import cliTruncate from 'cli-truncate';

/** At most `width` columns, with `…` where something was left out of its `position`. An infinite width cuts nothing. */
export function truncate(text: string, width: number, position: 'start' | 'end' = 'end'): string {
  return Number.isFinite(width) ? cliTruncate(text, width, { position }) : text;
}
