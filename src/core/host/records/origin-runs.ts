/** The sub-agents of what a fork took over: they are kept and counted where they worked, and shown from there. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { CopiedWorkflow } from '#contract/messages/fork.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import type { Store } from '#core/store/store.ts';

type Reads = Pick<Store, 'workflow' | 'conversation' | 'runsOf'>;

/**
 * As rows below the lead that took them over, with all that served them, without what they used. `copiedFrom` names the run
 * itself: nothing of it can be done here. Left out are those that ended later than what was taken over, also because
 * they were tried again, and those of a conversation that is gone or in the trash.
 */
export async function originRuns(store: Reads, workflows: readonly WorkflowRow[]): Promise<RunRow[]> {
  const findFirst = origins(store);
  const places = await Promise.all(
    workflows.map(async (here) => ({ here, first: here.copiedFrom ? await findFirst(here.copiedFrom) : null })),
  );
  const ids = places.flatMap(({ first }) => first?.workflowId ?? []);
  const runs = ids.length > 0 ? await store.runsOf(ids) : [];
  return places.flatMap(({ here, first }) =>
    runs
      .filter((run) => run.parentRunId === first?.runId && isSubAgent(run))
      .map((run) => familyOf(run, runs))
      .filter((family) => family.every((run) => hasEnded(run, here)))
      .flatMap((family) => family.map((run) => rowIn(here, run, first))),
  );
}

/** Finds where something was done: a copy of a copy leads on. Each conversation is read once, and workflows only of forks. */
function origins(store: Reads): (copiedFrom: CopiedWorkflow) => Promise<CopiedWorkflow | null> {
  const conversations = new Map<string, ReturnType<Reads['conversation']>>();
  const conversationOf = (id: string) => {
    const read = conversations.get(id) ?? store.conversation(id);
    conversations.set(id, read);
    return read;
  };
  return async function findFirst(copiedFrom) {
    const conversation = await conversationOf(copiedFrom.conversationId);
    const row = conversation?.from ? await store.workflow(copiedFrom.workflowId) : null;
    if (row?.copiedFrom) return findFirst(row.copiedFrom);
    return conversation && !conversation.deletedAt ? copiedFrom : null;
  };
}

function familyOf(run: RunRow, runs: readonly RunRow[]): RunRow[] {
  return [run, ...runs.filter(({ parentRunId }) => parentRunId === run.id).flatMap((one) => familyOf(one, runs))];
}

function hasEnded({ endedAt }: RunRow, here: WorkflowRow): boolean {
  return endedAt !== null && here.endedAt !== null && Date.parse(endedAt) <= Date.parse(here.endedAt);
}

function rowIn(here: WorkflowRow, run: RunRow, first: CopiedWorkflow | null): RunRow {
  const { again: _again, contextTokens: _contextTokens, ...row } = run;
  const parentRunId = run.parentRunId === first?.runId ? here.runId : run.parentRunId;
  const copiedFrom = { conversationId: run.conversationId, workflowId: run.workflowId, runId: run.id };
  return { ...row, workflowId: here.id, parentRunId, usage: ZERO_TALLY, copiedFrom };
}
