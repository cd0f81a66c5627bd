/** How much waits for the person: the number in every title and on the app. */
import type { Attention } from '../view.ts';

/** Each question of a batch counts, and a workflow to resume unless its question does. */
export function waitingCount({ questions, asleep, interrupted = [], signIns = [] }: Attention): number {
  const open = [...questions, ...asleep].flatMap(({ decisions }) => decisions.filter((decision) => decision === null));
  const asked = new Set(asleep.map(({ request }) => request.workflowId));
  const others = interrupted.filter(({ workflowId }) => !asked.has(workflowId));
  return open.length + others.length + signIns.length;
}
