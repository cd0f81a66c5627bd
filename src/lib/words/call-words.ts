/** The words of the ways in which calls are shown. */
import { plural } from './sentences.ts';

export const callWords = {
  command: 'Command',
  exitCode: (code: number) => `exit code ${code}`,
  /** `folder` is relative to the workspace folder; empty for itself. */
  folder: (folder: string) => (folder === '' ? 'in the workspace folder' : `in ${folder}`),
  took: (time: string) => `took ${time}`,
  reduced: 'What was overwritten, or shows on no terminal, stands in the text only.',
  /** Before it was allowed. */
  edited: 'edited by you',
  asText: 'Show as text',
  asView: 'Show formatted',
  showAll: {
    lines: (value: number) => `Show all ${plural(value, 'line', 'lines')}`,
    hits: (value: number) => `Show all ${plural(value, 'match', 'matches')}`,
    paths: (value: number) => `Show all ${plural(value, 'entry', 'entries')}`,
  },
  showFewer: 'Show fewer',
  diff: { wraps: 'Wrap lines', besides: 'Side by side' },
  hits: 'Matches',
  hitColumns: { line: 'Line', text: 'Text' },
  paths: 'Entries',
  found: 'Pages that were found',
} as const;
