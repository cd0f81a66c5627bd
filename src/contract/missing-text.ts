/** The sentence that says what of a history is missing, wherever it is shown. */
import type { Missing, Unlisted } from './missing.ts';

const WORDS: Readonly<Record<Missing['kind'], readonly [string, string]>> = {
  workflows: ['workflow', 'workflows'],
  runs: ['run', 'runs'],
  events: ['event', 'events'],
  entries: ['message or result', 'messages and results'],
  calls: ['tool call', 'tool calls'],
  requests: ['model request', 'model requests'],
  approvals: ['approval', 'approvals'],
  rows: ['record', 'records'],
};

/** One sentence with what to do; null if nothing is missing. */
export function missingText(missing: readonly Missing[] | undefined): string | null {
  const counted = countsOf(missing ?? []);
  if (counted === null) return null;
  return `${incompleteText('history', counted)} To get them back, restore a backup with "triad restore DIR".`;
}

/** One sentence with what to do, for lists of what is stored and of what was found in it; null if they have all. */
export function unlistedText({ conversations, workflows }: Unlisted): string | null {
  const parts = [
    ...(conversations > 0 ? [formatCount(conversations, 'conversation')] : []),
    ...(workflows > 0 ? [formatCount(workflows, 'workflow')] : []),
  ];
  if (parts.length === 0) return null;
  return `The lists are not complete: at least ${parts.join(' and ')} cannot be read in the store. "triad doctor --full" says what is missing; to get it back, restore a backup with "triad restore DIR".`;
}

/** Returns a count with its noun, such as `2 events`. The plural must end in `s`. */
export const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** `counted`: what `countsOf` said. */
export function incompleteText(what: 'history' | 'backup', counted: string): string {
  return `This ${what} is not complete: ${counted} cannot be found or read in the store.`;
}

/** What is missing, without where. */
export type Lack = Pick<Missing, 'kind' | 'count'>;

/** For instance "3 events and 1 model request"; null if nothing is missing. */
export function countsOf(missing: readonly Lack[]): string | null {
  const counts = new Map<Missing['kind'], number>();
  for (const { kind, count } of missing) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const parts = [...counts].map(([kind, count]) => `${count} ${WORDS[kind][count === 1 ? 0 : 1]}`);
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
