/** The line in which finished calls of an agent are folded: what it did, not which tools it called. */
import type { CallKind } from '#lib/view/folds.ts';
import { plural } from './sentences.ts';

const times = (value: number): string => (value === 1 ? 'once' : value === 2 ? 'twice' : `${value} times`);

const did: Readonly<Record<CallKind, (count: number) => string>> = {
  file: (count) => `looked at ${plural(count, 'file', 'files')}`,
  folder: (count) => `listed ${plural(count, 'folder', 'folders')}`,
  search: (count) => `searched ${times(count)}`,
  web: (count) => `searched the web ${times(count)}`,
  page: (count) => `read ${plural(count, 'web page', 'web pages')}`,
  note: (count) => `read ${plural(count, 'note', 'notes')}`,
  report: (count) => `read ${plural(count, 'report', 'reports')}`,
  command: (count) => `ran ${plural(count, 'command', 'commands')}`,
  agent: (count) => `had sub-agents report ${times(count)}`,
  memory: () => 'used its memory',
  plan: () => 'updated its plan',
  thought: () => 'thought it over',
  server: (count) => `asked MCP servers ${times(count)}`,
  other: (count) => `made ${plural(count, 'other call', 'other calls')}`,
};

/** `Looked at 4 files, searched twice`. */
export function foldedCalls(counts: readonly { kind: CallKind; count: number }[]): string {
  const sentence = counts.map(({ kind, count }) => did[kind](count)).join(', ');
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
