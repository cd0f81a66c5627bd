/** The row of a workflow after its start, and of a fork made at it: the same in the store and on the screen. */
import type { DurableEvent } from '../event.ts';
import type { Fork } from './fork.ts';
import { ZERO_TALLY } from '../tally.ts';
import type { WorkflowRow } from '../view.ts';

type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** After its first start. */
export function startedWorkflow(event: Event<'workflow-start'>): WorkflowRow {
  const { workflowId, conversationId, runId, agent, prompt, approve, attempt, at, seq } = event;
  const { budget, images, chosen, sentAs, taken, from, again } = event;
  return {
    id: workflowId,
    conversationId,
    runId,
    prompt,
    agents: [agent],
    approve,
    status: 'pending',
    outcome: null,
    text: '',
    error: null,
    attempt,
    createdAt: at,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    firstSeq: seq,
    lastSeq: seq,
    subAgentCount: 0,
    usage: ZERO_TALLY,
    ...(budget && { budget }),
    ...(images && { images }),
    ...(chosen && { chosen }),
    ...(sentAs && { sentAs }),
    ...(taken && { taken }),
    ...(again && { again }),
    ...(from && { from }),
  };
}

/** What any later start changes in it. */
export function startedAgain({ approve, attempt, budget }: Event<'workflow-start'>): Partial<WorkflowRow> {
  const ended = { outcome: null, text: '', error: null, endedAt: null, durationMs: null };
  return { status: 'pending', ...ended, approve, attempt, ...(budget && { budget }) };
}

export function forkOf({ to, end, at, step, upTo }: Event<'workflow-fork'>): Fork {
  return { conversationId: to, end, at, ...(step && { step }), ...(upTo !== undefined && { upTo }) };
}
