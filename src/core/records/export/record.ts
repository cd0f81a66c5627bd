/** All that is stored of a conversation, a workflow at a time: what an export is made from. */
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowDetail } from '#contract/view.ts';
import { workflowDetail } from '../snapshots.ts';
import type { Store } from '../../store/store.ts';

/** All that is stored of one workflow. */
export interface WorkflowRecord extends Omit<WorkflowDetail, 'conversation'> {
  /** By run, in order. */
  entries: ReadonlyMap<string, readonly Entry[]>;
}

/** Workflows of one page. */
const PAGE = 100;

/** Oldest first. */
export async function workflowIdsOf(store: Store, conversationId: string): Promise<string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = await store.workflows({ conversationId, limit: PAGE, before });
    ids.push(...page.items.map(({ id }) => id));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return ids.reverse();
}

/** One workflow with the entries of those of its runs that are wanted; null where it is gone. */
export async function recordOf(
  store: Store,
  workflowId: string,
  wanted: (run: RunRow) => boolean,
): Promise<WorkflowRecord | null> {
  const workflow = await store.workflow(workflowId);
  if (!workflow) return null;
  const { conversation: _, ...detail } = await workflowDetail(store, workflow);
  const entries = new Map<string, Entry[]>();
  for (const run of detail.runs) if (wanted(run)) entries.set(run.id, await store.entriesOf(run.id));
  return { ...detail, entries };
}

/** Oldest first; one is read when the one before it was taken. */
export async function* recordsOf(store: Store, conversationId: string): AsyncGenerator<WorkflowRecord> {
  for (const id of await workflowIdsOf(store, conversationId)) {
    const record = await recordOf(store, id, () => true);
    if (record) yield record;
  }
}
