/** Conversations of random workflows, as the engine orders their events. */
import fc from 'fast-check';
import type { DurableEvent } from '#contract/event.ts';
import { DEMO } from '#contract/providers/demo.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { RunIds } from '#core/store/log/recorder.ts';
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
import { type Extra, extras, lateExtras, recordExtra, type StartFields, startFields } from './random-extras.ts';

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
  /** The lead is played by the demo. */
  isDemo?: boolean;
  start?: StartFields;
  extras?: readonly Extra[];
  /** After the end. */
  lateExtras?: readonly Extra[];
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

/** A plan with events of every type, and with the fields that most events leave out. */
export const richPlan: fc.Arbitrary<Plan> = fc
  .tuple(plan, fc.record({ isDemo: fc.boolean(), start: startFields, extras, lateExtras }))
  .map(([base, more]) => ({ ...base, ...more }));

/** Makes the conversation in which they are. */
export const conversation = {
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

function recordWorkflow(recording: Recording, plan: Plan, ids: number): void {
  const { children, outcome, resumed } = plan;
  const place = (index: number) => ({ recording, who, id: 10_000 + 1000 * ids + 10 * index });
  const who: RunIds = { ...lead, workflowId: idOf(ids), runId: idOf(ids + 1) };
  const attempts = resumed ? 2 : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    recording.record(who, {
      type: 'workflow-start',
      prompt: `\0 ${ids}\nmore`,
      approve: 'ask',
      attempt,
      ...plan.start,
    });
    if (attempt === 1)
      queue(recording, who, { prompt: 'Do it', title: 'Do it', changes: plan.isDemo ? { provider: DEMO } : {} });
    start(recording, who, envelopeOf(who.agent, 'Do it'), attempt);
    if (attempt === 1) recordChildren(recording, who, children, ids);
    if (attempt === 1) plan.extras?.forEach((extra, index) => recordExtra(place(index), extra));
    const last = attempt === attempts;
    const end = {
      outcome: last ? outcome : 'interrupted',
      text: 'Done',
      error: last && outcome === 'error' ? { code: 'provider' as const, message: 'No' } : null,
      durationMs: 12.5,
    } as const;
    recording.record(who, { type: 'run-end', ...end, usage: usageOf() });
    const copied = plan.start?.copiedFrom ? { copiedFrom: plan.start.copiedFrom } : {};
    recording.record(who, { type: 'workflow-end', ...end, ...copied, usage: usageOf(), subAgents: [] });
  }
  plan.lateExtras?.forEach((extra, index) => recordExtra(place(50 + index), extra));
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
