/** What is known of a workflow and its runs while their events come: what open spans began with. */
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import type { AssistantEntry, HandoffEntry } from '#contract/message.ts';
import type { Tally } from '#contract/outcome.ts';
import type { RunRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { traceIdOf } from '#core/base/ids.ts';

export type Event<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;

/** A call that was begun; its span is a new one in each attempt of its run. */
export interface Call {
  id: string;
  name: string;
  /** Null: it was refused before it began. */
  input: unknown;
  start: number;
  spanId: string;
  isOpen: boolean;
}

/** A logical request: all attempts at it so far. */
export interface Asked {
  attempts: [RequestUsage, ...RequestUsage[]];
  /** The message that the last attempt brought, where it has been told. */
  answer: AssistantEntry | null;
}

export interface Handed {
  entry: HandoffEntry;
  start: number;
  spanId: string;
  isOpen: boolean;
}

export interface RunState {
  /** Its row after its newest event. */
  row: RunRow;
  attempt: number;
  /** Null: it did not start in this attempt of its workflow. */
  startedAt: number | null;
  queuedMs: number;
  /** An attempt of it has ended. */
  hasEnded: boolean;
  /** Of this attempt. */
  tally: Tally;
  readonly calls: Map<string, Call>;
  /** Requests that may be tried again, or whose message is still to come, by purpose. */
  readonly asked: Map<string, Asked>;
  /** The message of a request that is on its way, by its id; and the request of each message. */
  readonly requestOf: Map<string, string>;
  readonly handoffs: Handed[];
}

export interface WorkflowState {
  readonly id: string;
  readonly conversationId: string;
  readonly traceId: string;
  readonly leadRunId: string;
  prompt: string;
  via: 'app' | 'cli' | 'acp' | undefined;
  attempt: number;
  start: number;
  /** Of this attempt. */
  tally: Tally;
  toolCalls: number;
  readonly runs: Map<string, RunState>;
}

export function newWorkflow({ workflowId, conversationId, runId, prompt }: Event<'workflow-start'>): WorkflowState {
  return {
    id: workflowId,
    conversationId,
    traceId: traceIdOf(runId),
    leadRunId: runId,
    prompt,
    via: undefined,
    attempt: 0,
    start: 0,
    tally: ZERO_TALLY,
    toolCalls: 0,
    runs: new Map(),
  };
}

export function newRun(row: RunRow): RunState {
  return {
    row,
    attempt: 1,
    startedAt: null,
    queuedMs: 0,
    hasEnded: false,
    tally: ZERO_TALLY,
    calls: new Map(),
    asked: new Map(),
    requestOf: new Map(),
    handoffs: [],
  };
}

export function promptSpanId({ id, attempt }: WorkflowState): string {
  return spanIdOf(id, ['prompt', attempt]);
}

export function agentSpanId({ workflowId, id }: Pick<RunRow, 'workflowId' | 'id'>, attempt: number): string {
  return spanIdOf(workflowId, ['agent', id, attempt]);
}

/**
 * Below what a run stands: a sub-agent below the call that asked for it, a coagent below the handoff to it, a stage below
 * the run that it follows, and the lead below the message.
 */
export function findParentId(workflow: WorkflowState, { row }: RunState): string {
  const parent = workflow.runs.get(row.parentRunId ?? '');
  if (!parent) return promptSpanId(workflow);
  const call = row.toolCallId === null || row.kind === 'chain' ? undefined : parent.calls.get(row.toolCallId);
  const handed = parent.handoffs.findLast(({ entry }) => entry.runId === row.id);
  return call?.spanId ?? handed?.spanId ?? agentSpanId(parent.row, parent.attempt);
}
