/** The answer that a command is about, and that nothing is done with it twice. */
import type { WorkflowRow } from '#contract/view.ts';

type Row = Pick<WorkflowRow, 'outcome'>;

/** The newest workflow, where it has ended and no other runs or waits: "the last message" would be another one then. */
export function newestAnswer<R extends Row>(workflows: readonly R[]): R | undefined {
  if (workflows.some(({ outcome }) => outcome === null)) return undefined;
  return workflows.at(-1);
}

const underWay = new Set<string>();

/** Does it unless something is done with this answer already: who asks twice gets one fork. */
export async function once({ id }: Pick<WorkflowRow, 'id'>, act: () => Promise<void>): Promise<void> {
  if (underWay.has(id)) return;
  underWay.add(id);
  try {
    await act();
  } finally {
    underWay.delete(id);
  }
}
