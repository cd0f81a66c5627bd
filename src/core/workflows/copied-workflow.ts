/** The workflow that a fork continues: a copy of another workflow, interrupted at a step. */
import type { ApprovePolicy, Budget, Envelope } from '#contract/agent.ts';
import type { DurableEvent, EventDraft } from '#contract/event.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import type { Entry } from '#contract/message.ts';
import type { CopiedFrom, ForkStep } from '#contract/messages/fork.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId } from '../base/ids.ts';
import { usageOf } from '../base/usage.ts';
import { isLeft } from './flows/chain.ts';
import type { Engine } from '../runs/engine.ts';
import { type RunPart, selectRuns } from './copied-runs.ts';
import { type CopiedRun, imagesIn, makeRunEvents } from './copied-events.ts';

/** The stored workflow that is copied. */
export interface CopySource {
  step: ForkStep;
  workflow: WorkflowRow;
  parts: readonly RunPart[];
  /** The events of the workflow. */
  events: readonly DurableEvent[];
}

/** Approval policy, budget and envelopes of the copy. */
export interface CopyTerms {
  approve: ApprovePolicy;
  budget: Budget;
  /** Returns an envelope as it may be used now. */
  narrow: (envelope: Envelope, run: RunRow) => Envelope;
}

/** Ids of the copy. `runs`: ids of the copied earlier lead runs, by the ids of their originals. */
interface CopyTarget {
  conversationId: string;
  workflowId: string;
  runs: ReadonlyMap<string, string>;
}

type Reads = Pick<Engine['store'], 'runsOf' | 'recordsOf' | 'events' | 'lastSeq'>;

export async function loadCopySource(store: Reads, workflow: WorkflowRow, step: ForkStep): Promise<CopySource> {
  const runs = await store.runsOf([workflow.id]);
  const { entries } = await store.recordsOf(runs, ['entries']);
  const { conversationId, firstSeq, lastSeq, outcome } = workflow;
  const last = outcome === null ? await store.lastSeq(conversationId) : lastSeq;
  const events = await store.events(conversationId, firstSeq, last);
  return { step, workflow, parts: selectRuns({ runs, entries }, step), events };
}

/** Returns the runs that start or continue in the copy, each with the envelope of its question. */
export function listContinuing({ parts, events }: Pick<CopySource, 'parts' | 'events'>): RunRow[] {
  return parts.flatMap(({ run, state }) => {
    if (state === 'again') return [run];
    if (state === 'queued') return [{ ...run, ...findProposed(run, events) }];
    const stages = parts.filter((part) => part.run.parentRunId === run.id && part.run.kind === 'chain');
    const continues = state === 'cut' || (state === 'ended' && isChainLeft(run, stages));
    return continues ? [run] : [];
  });
}

/** Returns the events of the copy, in order. */
export function copyEvents(
  { step, workflow, parts, events }: CopySource,
  { conversationId, workflowId, runs: leads }: CopyTarget,
  { approve, budget, narrow }: CopyTerms,
): EventDraft[] {
  const at = new Date().toISOString();
  const ids = new Map([...leads, ...listIds(parts).map((id) => [id, newId()] as const)]);
  const continuing = new Map(listContinuing({ parts, events }).map((run) => [run.id, run]));
  const copies = parts.map((part): CopiedRun => {
    const going = continuing.get(part.run.id);
    const envelope = going && narrow(going.envelope, going);
    const run = envelope ? { ...part.run, envelope, envelopeHash: canonicalHash(envelope) } : part.run;
    const { id, parentRunId, agent, said = [] } = run;
    const first = getFirst(part);
    const isWhole = part.state === 'ended';
    const entries = part.entries.map((entry, n) => copyEntry({ ...entry, n, at }, first));
    const isHeard = (word: { id: string }): boolean =>
      isWhole || entries.some((entry) => entry.kind === 'user' && entry.said === word.id);
    return {
      ids: {
        conversationId,
        workflowId,
        runId: ids.get(id)!,
        agent,
        parentRunId: parentRunId === null ? null : ids.get(parentRunId)!,
      },
      run,
      entries,
      at: { queue: at, start: at, end: at },
      ...getEnd(part),
      plans: listPlans(events, part),
      said: (said ?? []).filter(isHeard),
      ...getProposed(part, going, events),
      isUnstarted: ['queued', 'again', 'dropped'].includes(part.state) || run.attempt === 0,
      ...(part.state === 'again' && { again: linkTo(part.run) }),
      copiedFrom: first,
      goesOn: ['cut', 'queued', 'again'].includes(part.state),
    };
  });
  const lead = copies[0]!.ids;
  const { prompt, images, chosen } = workflow;
  const bounds = Object.keys(budget).length > 0 ? { budget } : {};
  const sent = { ...(images && { images }), ...(chosen && { chosen }), ...bounds, from: step };
  return [
    { ...lead, at, type: 'workflow-start', prompt, approve, attempt: 1, ...sent },
    ...copies.flatMap((copy) => makeRunEvents(copy, ids)),
    {
      ...lead,
      at,
      type: 'workflow-end',
      ...INTERRUPTED,
      usage: usageOf(ZERO_TALLY),
      subAgents: [],
      copiedFrom: getFirst(parts[0]!),
    },
  ];
}

/** Copies the files of long outputs and pictures, which are stored outside of the entries. */
export async function copyFiles(
  outputs: Pick<Engine['outputs'], 'copy' | 'copyImage'>,
  { workflow, parts }: CopySource,
  drafts: readonly EventDraft[],
): Promise<void> {
  const copies = drafts.filter(({ type }) => type === 'run-queue');
  for (const [at, { run, entries }] of parts.entries()) {
    const { conversationId, runId } = copies[at]!;
    for (const { sha256 } of imagesIn({ workflow: at === 0 ? workflow : {}, entries }))
      await outputs.copyImage(run.conversationId, conversationId, sha256);
    for (const entry of entries) {
      if (entry.kind !== 'tool') continue;
      const { toolCallId } = entry;
      await outputs.copy(
        { conversationId: run.conversationId, runId: run.id, toolCallId },
        { conversationId, runId, toolCallId },
      );
    }
  }
}

const INTERRUPTED = {
  outcome: 'interrupted',
  text: '',
  error: { code: 'interrupted', message: 'Copied up to a step, from which it goes on' },
  durationMs: 0,
} as const;

const DROPPED = {
  outcome: 'cancelled',
  text: '',
  error: {
    code: 'cancelled',
    message: 'The conversation was forked while this worked in the background: start it again if it is needed',
  },
  durationMs: 0,
} as const;

function getEnd({ run, state }: RunPart): Pick<CopiedRun, 'end'> {
  if (state === 'queued' || state === 'again') return {};
  if (state === 'cut') return { end: INTERRUPTED };
  if (state === 'dropped') return { end: DROPPED };
  const { outcome, text, error, reviews } = run;
  const isOpen = outcome === null || outcome === 'interrupted';
  return { end: { outcome: isOpen ? 'cancelled' : outcome, text, error, durationMs: 0, ...(reviews && { reviews }) } };
}

/** Returns the envelope before an edit of the person, for a run that does not start again. */
function getProposed({ run, state }: RunPart, going: RunRow | undefined, events: readonly DurableEvent[]) {
  const proposed = state === 'ended' && !going ? findProposed(run, events) : null;
  return proposed && { proposed };
}

/** Returns the link to the first run, also for a copy of a copy. */
function getFirst({ run }: RunPart): CopiedFrom {
  return run.copiedFrom ?? linkTo(run);
}

function linkTo({ conversationId, workflowId, id: runId }: RunRow): CopiedFrom {
  return { conversationId, workflowId, runId };
}

/** Removes a reached limit: the limits of the first workflow do not apply to the copy. */
function copyEntry(entry: Entry, first: CopiedFrom): Entry {
  const copiedFrom = entry.copiedFrom ?? first;
  if (entry.kind === 'tool') return { ...entry, durationMs: 0, copiedFrom };
  if (entry.kind !== 'system') return { ...entry, copiedFrom };
  const { bound: _, ...remark } = entry;
  return { ...remark, copiedFrom };
}

/** Returns the envelope of a sub-agent before the person changed it. The queue event of a copy has it, too. */
function findProposed(run: RunRow, events: readonly DurableEvent[]): Pick<RunRow, 'envelope' | 'envelopeHash'> | null {
  const queued = events.find(({ type, runId }) => type === 'run-queue' && runId === run.id);
  if (queued?.type !== 'run-queue' || !isSubAgent(run)) return null;
  const { envelope, envelopeHash } = queued;
  return { envelope, envelopeHash };
}

function isChainLeft(run: RunRow, stages: readonly RunPart[]): boolean {
  if (run.kind === 'chain' || run.kind === 'coagent' || run.outcome !== 'completed') return false;
  return (
    stages.some(({ state }) => state === 'cut') ||
    isLeft(
      run,
      stages.map((stage) => stage.run),
    )
  );
}

/** Returns the plans of a run up to its last copied entry. A fork of the copy at an earlier step needs the earlier ones. */
function listPlans(events: readonly DurableEvent[], { run, entries }: RunPart): CopiedRun['plans'] {
  const last = entries.at(-1)?.n ?? -1;
  const plans: CopiedRun['plans'][number][] = [];
  let next = 0;
  for (const event of events) {
    if (event.runId !== run.id) continue;
    if ('entry' in event) {
      if (event.entry.n > last) break;
      next = Math.max(next, event.entry.n + 1);
    }
    if (event.type !== 'plan-change') continue;
    const before = entries.findIndex(({ n }) => n >= next);
    plans.push({ before: before < 0 ? entries.length : before, items: event.items });
  }
  return plans;
}

/** Returns the ids of all runs that are copied, or that a handoff names; each once. */
function listIds(parts: readonly RunPart[]): string[] {
  const named = parts.flatMap(({ run, entries }) => [
    run.id,
    ...entries.flatMap((entry) => (entry.kind === 'handoff' ? (entry.runId ?? []) : [])),
  ]);
  return [...new Set(named)];
}
