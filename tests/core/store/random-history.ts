/** Conversations of random workflows, as the engine orders their events. */
import fc from 'fast-check';
import type { DurableEvent } from '#contract/event.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { RunIds } from '#core/log/recorder.ts';
import { anyText } from '../../support/any-text.ts';
import { envelopeOf } from '../../support/envelope.ts';
import {
  conversationId,
  conversationRow,
  approve,
  idOf,
  lead,
  queue,
  Recording,
  requestUsage,
  respond,
  start,
  usageOf,
} from '../../support/recording.ts';

interface Child {
  agent: string;
  no: boolean;
  turns: number;
  text: string;
  outcome: Outcome;
}
/** A workflow: what becomes of it, and of its sub-agents. */
export interface Plan {
  children: Child[];
  outcome: Outcome;
  resumed: boolean;
}

const outcome = fc.constantFrom<Outcome[]>('completed', 'partial', 'cancelled', 'timed_out', 'error', 'interrupted');
export const plan: fc.Arbitrary<Plan> = fc.record({
  children: fc.array(
    fc.record({
      agent: fc.constantFrom('reviewer', 'writer'),
      no: fc.boolean(),
      turns: fc.nat(3),
      text: anyText,
      outcome,
    }),
    { maxLength: 3 },
  ),
  outcome,
  resumed: fc.boolean(),
});

/** Makes the conversation in which they are. */
export const conversation = {
  kind: 'put',
  table: 'conversation',
  key: conversationId,
  row: { ...conversationRow() },
} as const;

/** The events of a conversation of workflows, as the engine orders them. */
export function eventsOf(plans: readonly Plan[]): DurableEvent[] {
  const recording = new Recording();
  plans.forEach((one, index) => recordWorkflow(recording, one, 100 * (index + 1)));
  return recording.durable;
}

function recordWorkflow(recording: Recording, { children, outcome, resumed }: Plan, ids: number): void {
  const who: RunIds = { ...lead, workflowId: idOf(ids), runId: idOf(ids + 1) };
  const attempts = resumed ? 2 : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    recording.record(who, { type: 'workflow-start', prompt: `\0 ${ids}\nmore`, approve: 'ask', attempt });
    if (attempt === 1) queue(recording, who, { prompt: 'Do it', title: 'Do it' });
    start(recording, who, envelopeOf(who.agent, 'Do it'), attempt);
    if (attempt === 1) recordChildren(recording, who, children, ids);
    const last = attempt === attempts;
    const end = {
      outcome: last ? outcome : 'interrupted',
      text: 'Done',
      error: null,
      durationMs: 12.5,
    } as const;
    recording.record(who, { type: 'run-end', ...end, usage: usageOf() });
    recording.record(who, { type: 'workflow-end', ...end, usage: usageOf(), subAgents: [] });
  }
}

function recordChildren(recording: Recording, who: RunIds, children: readonly Child[], ids: number): void {
  const asked = children.map((child, index) => {
    const its: RunIds = { ...who, runId: idOf(ids + 10 + index), parentRunId: who.runId, agent: child.agent };
    const job = {
      prompt: child.text || 'x',
      title: 't',
      kind: 'spawn',
      toolCallId: 'call',
      item: index,
    } as const;
    return {
      child,
      its,
      runId: its.runId,
      title: 't',
      envelope: queue(recording, its, job),
      no: child.no ? 'no' : null,
    };
  });
  if (asked.length > 0) approve(recording, who, 'spawn', asked);
  for (const { child, its, envelope, no } of asked) {
    if (no === null) start(recording, its, envelope);
    for (let turn = 0; no === null && turn < child.turns; turn++) {
      recording.record(its, {
        type: 'tool-start',
        toolCallId: `c${turn}`,
        name: 'read_file',
        input: child.text,
      });
      recording.result(its, {
        toolCallId: `c${turn}`,
        name: 'read_file',
        status: 'completed',
        output: child.text,
        durationMs: 3,
        metadata: {},
      });
      respond(recording, its, { turn, messageId: idOf(ids + 50 + turn), parts: [], stopReason: 'end_turn' });
    }
    const nanoUsd = child.turns === 2 ? null : 77;
    recording.record(its, { type: 'usage', request: requestUsage(recording, { nanoUsd }) });
    const error = child.outcome === 'error' ? ({ code: 'provider', message: child.text } as const) : null;
    const end = { outcome: no === null ? child.outcome : ('rejected' as const), text: child.text, error };
    recording.record(its, { type: 'run-end', ...end, durationMs: 7, usage: usageOf() });
  }
}
