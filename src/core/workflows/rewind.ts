/** Going back to before a message: its lead is not told of it and of what came after it any more, or is told again. */
import type { WorkflowRow } from '#contract/view.ts';
import { TriadError } from '../base/errors.ts';
import type { Engine } from '../runs/engine.ts';
import type { Store } from '../store/store.ts';

const PAGE = 200;

/** All of a conversation, oldest first. */
export async function workflowsOf(store: Pick<Store, 'workflows'>, conversationId: string): Promise<WorkflowRow[]> {
  const rows: WorkflowRow[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    rows.push(...page.items);
    before = page.next;
  }
  return rows.reverse();
}

/** Records it for each workflow, from the given one on, of which it is not so yet. */
export async function rewind(
  { store, log }: Pick<Engine, 'store' | 'log'>,
  { conversationId, workflowId, left }: { conversationId: string; workflowId: string; left: boolean },
): Promise<{ stored: Promise<unknown> }> {
  const rows = await workflowsOf(store, conversationId);
  const first = rows.findIndex(({ id }) => id === workflowId);
  if (first < 0) throw new TriadError('not_found', `There is no workflow ${workflowId} in this conversation`);
  const at = new Date().toISOString();
  const changed = rows.slice(first).filter((row) => (row.left ?? false) !== left);
  const recorded = changed.map(({ id, runId, agents }) =>
    log.append({
      ...{ type: 'workflow-leave' as const, conversationId, workflowId: id, runId, parentRunId: null },
      ...{ agent: agents[0] ?? '', at, left },
    }),
  );
  return { stored: Promise.all(recorded) };
}
