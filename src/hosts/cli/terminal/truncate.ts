/** Cuts a line of text to a number of terminal columns. */
import cliTruncate from 'cli-truncate';

/** At most `width` columns, ending in `…` where something was left out. An infinite width cuts nothing. */
export function truncate(text: string, width: number): string {
  return Number.isFinite(width) ? cliTruncate(text, width) : text;
}
