/** What should be in the store and is not there or cannot be read, and the sentence that says so wherever it is shown. */
import { z } from 'zod';
import { Id } from './ids.ts';

const WORDS = {
  workflows: ['workflow', 'workflows'],
  runs: ['run', 'runs'],
  events: ['event', 'events'],
  /** Entries of a run's history. */
  entries: ['message or result', 'messages and results'],
  calls: ['tool call', 'tool calls'],
  requests: ['model request', 'model requests'],
  approvals: ['approval', 'approvals'],
  /** Rows that are made from the events, of other kinds. */
  rows: ['record', 'records'],
} as const;
type Kind = keyof typeof WORDS;

export const Missing = z.object({
  kind: z.enum(Object.keys(WORDS) as [Kind, ...Kind[]]),
  conversationId: Id,
  /** Null for what is told by conversation alone. */
  workflowId: Id.nullable(),
  runId: Id.nullable(),
  count: z.int().positive(),
  /** Which numbers are missing, both ends included; empty where they are not numbered. */
  ranges: z.array(z.object({ from: z.int(), to: z.int() })),
});
export type Missing = z.infer<typeof Missing>;

/** One sentence with what to do; null if nothing is missing. */
export function missingText(missing: readonly Missing[] | undefined): string | null {
  const counted = countsOf(missing ?? []);
  if (counted === null) return null;
  return `This history is not complete: ${counted} cannot be found or read in the store. To get them back, restore a backup with "triad restore DIR".`;
}

/** For instance "3 events and 1 model request"; null if nothing is missing. */
export function countsOf(missing: readonly Missing[]): string | null {
  const counts = new Map<Kind, number>();
  for (const { kind, count } of missing) counts.set(kind, (counts.get(kind) ?? 0) + count);
  const parts = [...counts].map(([kind, count]) => `${count} ${WORDS[kind][count === 1 ? 0 : 1]}`);
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
