/** Makes the events that copy one ended workflow into a fork. A copy has no usage. Pure. */
import type { Approval } from '#contract/approval.ts';
import { waitedForYouMs } from '#contract/approvals/waited.ts';
import type { EventDraft, SubAgentSummary } from '#contract/event.ts';
import type { CopiedFrom, CopiedWorkflow } from '#contract/messages/fork.ts';
import { isServing } from '#contract/flows/serving.ts';
import type { Entry, Image, PlanItem, ToolEntry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { traceIdOf } from '../base/ids.ts';
import { usageOf } from '../base/usage.ts';
import { nextStep, salvaged } from '#core/store/log/transcript.ts';

/** One workflow of the conversation that is forked. */
export interface ForkedWorkflow {
  workflow: WorkflowRow;
  /** The run of the lead. */
  run: RunRow;
  /** Entries of the lead's run that are copied. */
  entries: readonly Entry[];
  /** True if further entries are not copied. */
  isCut: boolean;
  /** All approvals of the workflow. */
  approvals: readonly Approval[];
  /** The stages of the lead, in order; absent for none. */
  stages?: readonly TakenStage[];
}

/** A stage of a lead, with the id of its copy. */
interface TakenStage {
  id: string;
  run: RunRow;
  entries: readonly Entry[];
}

/** Ids of the copy in the fork. `runs`: ids of all copied lead runs, by the ids of their originals. */
interface CopyIds {
  conversationId: string;
  workflowId: string;
  runId: string;
  runs: ReadonlyMap<string, string>;
}

const UNDONE = 'No result: the conversation was forked before this call was done';

/**
 * Returns the events of the copy, in order. A call without a result gets one that says so. A workflow that had not ended, or
 * is copied only in part, ends as cancelled.
 */
export function makeWorkflowEvents(source: ForkedWorkflow, place: CopyIds): EventDraft[] {
  const { workflow, run } = source;
  const { conversationId, workflowId, runId } = place;
  const kept = settled(source);
  const isWhole = kept.length === source.entries.length;
  const outcome = isWhole && workflow.outcome !== null ? workflow.outcome : 'cancelled';
  const text = isWhole ? workflow.text : salvaged(kept);
  const of = { conversationId, workflowId, runId, parentRunId: null, agent: run.agent };
  const { prompt, approve, images, chosen, createdAt, startedAt, endedAt } = workflow;
  const end = (source.isCut ? null : endedAt) ?? kept.at(-1)?.at ?? createdAt;
  const sent = { ...(images && { images }), ...(chosen && { chosen }) };
  const ended = { outcome, text, error: isWhole ? workflow.error : null };
  const span = Math.max(0, Date.parse(end) - Date.parse(startedAt ?? createdAt));
  const durationMs = source.isCut ? Math.min(span, run.durationMs ?? span) : (run.durationMs ?? span);
  const copiedFrom = copyOf(source, end);
  // An answer that is cut off went to no stage.
  const stages = isWhole ? (source.stages ?? []) : [];
  // With stages, the workflow ends like its last stage, so the lead has its own end.
  const ownEnd = stages.length > 0 ? { outcome: run.outcome ?? outcome, text: run.text, error: run.error } : ended;
  const lead: CopiedRun = {
    ids: of,
    run,
    entries: kept,
    at: { queue: run.queuedAt, start: run.startedAt ?? createdAt, end },
    end: { ...ownEnd, durationMs, ...(run.reviews && isWhole ? { reviews: run.reviews } : {}) },
    plans: isWhole && run.plan ? [{ before: kept.length, items: run.plan }] : [],
  };
  return [
    { ...of, at: createdAt, type: 'workflow-start', prompt, approve, attempt: 1, ...sent, copiedFrom },
    ...makeRunEvents(lead, place.runs),
    ...stages.flatMap((stage) => makeRunEvents(stageOf(of, stage), place.runs)),
    {
      ...of,
      ...ended,
      at: end,
      type: 'workflow-end',
      durationMs,
      usage: usageOf(ZERO_TALLY),
      subAgents: stages.map(summarizeStage),
      copiedFrom: originOf(source),
    },
  ];
}

function stageOf(lead: Ids, { id, run, entries }: TakenStage): CopiedRun {
  const { queuedAt, startedAt, endedAt, outcome, text, error, durationMs, reviews } = run;
  const ended = { outcome: outcome ?? 'cancelled', text, error, durationMs: durationMs ?? 0 };
  return {
    ids: { ...lead, runId: id, parentRunId: lead.runId, agent: run.agent },
    run,
    entries,
    at: { queue: queuedAt, start: startedAt ?? queuedAt, end: endedAt ?? entries.at(-1)?.at ?? queuedAt },
    end: { ...ended, ...(reviews && { reviews }) },
    plans: run.plan ? [{ before: entries.length, items: run.plan }] : [],
  };
}

/** A run of the fork. */
export interface CopiedRun {
  ids: Ids;
  /** The run in the first conversation. */
  run: RunRow;
  entries: readonly Entry[];
  at: Record<'queue' | 'start' | 'end', string>;
  /** Absent for a run that waits in the fork. */
  end?: Pick<Event<'run-end'>, 'outcome' | 'text' | 'error' | 'durationMs' | 'reviews'>;
  /** The plans in order, each with the number of the entry after it. */
  plans: readonly { before: number; items: PlanItem[] }[];
  /** The person's messages that the run has read. */
  said?: RunRow['said'];
  /** The envelope of its question, if the person changed it before the start. */
  proposed?: Pick<RunRow, 'envelope' | 'envelopeHash'>;
  /** True if the run waits, or ended before its start. */
  isUnstarted?: boolean;
  /** The first run, if the person wants to run it again. */
  again?: CopiedFrom;
  /** Mark of the copied events. The queue event has it only if the run does not continue in the fork. */
  copiedFrom?: CopiedFrom;
  goesOn?: boolean;
}

/** Returns the events of a copied run, in order, without its usage. `runs`: ids of the copies, by the ids of their originals. */
export function makeRunEvents(copy: CopiedRun, runs: CopyIds['runs']): EventDraft[] {
  const { ids, run, entries, at, end, plans, said, again, isUnstarted = false, goesOn = false } = copy;
  const { kind, depth, toolCallId, item, name, title, parentChain, envelope, envelopeHash } = run;
  const proposed = copy.proposed ?? run;
  const mark = copy.copiedFrom && { copiedFrom: copy.copiedFrom };
  const done = { ...ids, at: at.end };
  const changePlan = (n: number, when: string): EventDraft[] =>
    plans.flatMap(({ before, items }) => (before === n ? [{ ...ids, at: when, type: 'plan-change', items }] : []));
  return [
    {
      ...ids,
      at: at.queue,
      type: 'run-queue',
      kind,
      depth,
      toolCallId,
      item,
      name,
      title,
      parentChain,
      task: copy.proposed?.envelope.prompt ?? run.task,
      envelope: proposed.envelope,
      envelopeHash: proposed.envelopeHash,
      traceId: traceIdOf(ids.runId),
      ...(run.place && { place: run.place }),
      ...(again && { again }),
      ...(goesOn ? {} : mark),
    },
    ...(isUnstarted
      ? []
      : [
          {
            ...ids,
            at: at.start,
            type: 'run-start' as const,
            attempt: 1,
            envelope,
            envelopeHash,
            queuedMs: 0,
            ...(isServing(run) && { serves: true as const }),
            ...mark,
          },
        ]),
    ...entries.flatMap((entry, n) => [...changePlan(n, entry.at), eventOf(ids, entry, runs)]),
    ...(said ?? []).map(({ id: wordId, text, at: when }) => ({
      ...ids,
      at: when,
      type: 'run-say' as const,
      wordId,
      text,
    })),
    ...changePlan(entries.length, at.end),
    ...(end
      ? [{ ...done, type: 'run-end' as const, ...end, usage: usageOf(ZERO_TALLY), entries: entries.length, ...mark }]
      : []),
  ];
}

function summarizeStage({ id, run: { agent, kind, status, outcome, durationMs } }: TakenStage): SubAgentSummary {
  return { runId: id, agent, kind, status, outcome, durationMs, usage: usageOf(ZERO_TALLY) };
}

function originOf({ workflow, run }: Pick<ForkedWorkflow, 'workflow' | 'run'>): CopiedFrom {
  return { conversationId: workflow.conversationId, workflowId: workflow.id, runId: run.id };
}

/** Returns the link to the original, with the working time of its agents and their waiting time until `end`. */
function copyOf({ workflow, run, approvals, isCut }: ForkedWorkflow, end: string): CopiedWorkflow {
  // A copy has no approvals, so a copy of a copy takes the time from it.
  const waitedMs = workflow.copiedFrom?.waitedMs ?? waitedForYouMs(approvals, Date.parse(end));
  const workedMs = isCut ? undefined : (workflow.copiedFrom?.workedMs ?? workflow.workedMs);
  return { ...originOf({ workflow, run }), waitedMs, ...(typeof workedMs === 'number' && { workedMs }) };
}

/** Returns the pictures in the copied entries and the message of a workflow, each once. */
export function imagesIn({
  workflow,
  entries,
}: Pick<ForkedWorkflow, 'entries'> & { workflow: Pick<WorkflowRow, 'images'> }): Image[] {
  const all = [
    ...(workflow.images ?? []),
    ...entries.flatMap((entry) =>
      entry.kind === 'user' ? (entry.images ?? []) : entry.kind === 'tool' ? (entry.image ?? []) : [],
    ),
  ];
  return [...new Map(all.map((image) => [image.sha256, image])).values()];
}

/** Returns the entries with a result for each call, and a mark at the end if work was cut off. */
function settled({ workflow, run, entries, isCut }: ForkedWorkflow): Entry[] {
  const kept = [...entries];
  const add = (entry: Omit<ToolEntry, 'n' | 'at'> | { kind: 'system'; code: 'forked'; text: string }): void => {
    kept.push({ ...entry, n: kept.length, at: kept.at(-1)?.at ?? new Date().toISOString() });
  };
  const step = nextStep(entries);
  if (step.do === 'settle')
    for (const { id, name } of step.calls)
      add({ kind: 'tool', toolCallId: id, name, status: 'cancelled', output: UNDONE, durationMs: 0, metadata: {} });
  const isOpen = [workflow.outcome, run.outcome].some((outcome) => outcome === null || outcome === 'interrupted');
  if (isCut || isOpen || step.do === 'settle') add({ kind: 'system', code: 'forked', text: '' });
  return kept;
}

type Ids = Pick<EventDraft, 'conversationId' | 'workflowId' | 'runId' | 'parentRunId' | 'agent'>;
type Event<T extends EventDraft['type']> = Extract<EventDraft, { type: T }>;

/** Returns the event of a copied entry. Replaces the ids of runs by those of their copies. */
function eventOf(of: Ids, entry: Entry, runs: CopyIds['runs']): EventDraft {
  const at = { ...of, at: entry.at };
  const named = <T>(id: T): T | string => runs.get(String(id)) ?? id;
  switch (entry.kind) {
    case 'tool':
      return { ...at, type: 'tool-end', entry: copiedResult(entry, named) };
    case 'compaction':
      return { ...at, type: 'compaction', entry: { ...entry, priorRuns: entry.priorRuns.map(named) } };
    case 'handoff':
      return { ...at, type: 'handoff', entry: { ...entry, runId: named(entry.runId) } };
    case 'user':
      return {
        ...at,
        type: 'message-end',
        entry: { ...entry, ...(entry.reportsOf && { reportsOf: entry.reportsOf.map(named) }) },
      };
    case 'assistant':
    case 'system':
      return { ...at, type: 'message-end', entry };
  }
}

/** Returns a copied result without `undoable`: its file changes are undone in the first conversation. */
function copiedResult(entry: ToolEntry, named: (id: unknown) => unknown): ToolEntry {
  const { undoable, background, ...metadata } = entry.metadata;
  const left = Array.isArray(background) ? { background: background.map(named) } : {};
  return { ...entry, metadata: { ...metadata, ...left, ...(undoable === true && { taken: true }) } };
}
