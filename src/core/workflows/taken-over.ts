/** What a fork takes over of one workflow: the events that make it again in another conversation, without what it cost. Pure. */
import type { Approval } from '#contract/approval.ts';
import { waitedForYouMs } from '#contract/approvals/waited.ts';
import type { EventDraft, SubAgentSummary } from '#contract/event.ts';
import type { TakenFrom } from '#contract/messages/fork.ts';
import type { CompactionEntry, Entry, Image, ToolEntry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { traceIdOf } from '../base/ids.ts';
import { usageOf } from '../base/usage.ts';
import { nextStep, salvaged } from '../log/transcript.ts';
import { withoutUndo } from '../loop/taken.ts';

/** One workflow of the conversation that is forked. */
export interface Source {
  workflow: WorkflowRow;
  /** Its lead's run. */
  run: RunRow;
  /** Of that, as far as they are taken over. */
  entries: readonly Entry[];
  /** More came after them. */
  isCut: boolean;
  /** All that was asked in it. */
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

/** Its ids in the fork; `runs`: those of all lead's runs there, by the ids that they are copies of. */
interface Place {
  conversationId: string;
  workflowId: string;
  runId: string;
  runs: ReadonlyMap<string, string>;
}

const UNDONE = 'No result: the conversation was forked before this call was done';

/**
 * In order. What is open in it is settled: a call without a result gets one that says so, and what had not ended, or does
 * not end where it did, is cancelled there.
 */
export function takenOver(source: Source, place: Place): EventDraft[] {
  const { workflow, run } = source;
  const { conversationId, workflowId, runId } = place;
  const kept = settled(source);
  const isWhole = kept.length === source.entries.length;
  const outcome = isWhole && workflow.outcome !== null ? workflow.outcome : 'cancelled';
  const text = isWhole ? workflow.text : salvaged(kept);
  const { agent, envelope, envelopeHash } = run;
  const of = { conversationId, workflowId, runId, parentRunId: null, agent };
  const { prompt, approve, images, chosen, createdAt, startedAt, endedAt } = workflow;
  const end = (source.isCut ? null : endedAt) ?? kept.at(-1)?.at ?? createdAt;
  const sent = { ...(images && { images }), ...(chosen && { chosen }) };
  const ended = { outcome, text, error: isWhole ? workflow.error : null, usage: usageOf(ZERO_TALLY) };
  const span = Math.max(0, Date.parse(end) - Date.parse(startedAt ?? createdAt));
  const durationMs = source.isCut ? Math.min(span, run.durationMs ?? span) : (run.durationMs ?? span);
  const taken = copyOf(source, end);
  // No stage got an answer that is cut off.
  const stages = isWhole ? (source.stages ?? []) : [];
  // The lead of a chain has an end of its own: that of the workflow is the end of its last stage.
  const ownEnd = stages.length > 0 ? { outcome: run.outcome ?? outcome, text: run.text, error: run.error } : {};
  return [
    { ...of, at: createdAt, type: 'workflow-start', prompt, approve, attempt: 1, ...sent, taken },
    {
      ...{ ...of, at: run.queuedAt, type: 'run-queue', kind: 'lead', depth: 0, toolCallId: null, item: 0 },
      ...{ name: run.name, title: run.title, task: run.task, parentChain: run.parentChain, traceId: traceIdOf(runId) },
      ...{ envelope, envelopeHash },
    },
    { ...of, at: run.startedAt ?? createdAt, type: 'run-start', attempt: 1, envelope, envelopeHash, queuedMs: 0 },
    ...kept.map((entry) => eventOf(of, entry, place.runs)),
    ...(run.plan && isWhole ? [{ ...of, at: end, type: 'plan-change' as const, items: run.plan }] : []),
    {
      ...{ ...of, ...ended, ...ownEnd, at: end, type: 'run-end', durationMs, entries: kept.length },
      ...(run.reviews && isWhole ? { reviews: run.reviews } : {}),
    },
    ...stages.flatMap((stage) => stageEvents(of, stage, place)),
    { ...of, ...ended, at: end, type: 'workflow-end', durationMs, subAgents: stages.map(summarizeStage), taken: true },
  ];
}

function stageEvents(lead: Ids, { id, run, entries }: TakenStage, { runs }: Place): EventDraft[] {
  const { agent, name, title, task, parentChain, envelope, envelopeHash, text, error, plan, reviews } = run;
  const of = { ...lead, runId: id, parentRunId: lead.runId, agent };
  const { queuedAt, startedAt, endedAt, durationMs } = run;
  const end = endedAt ?? entries.at(-1)?.at ?? queuedAt;
  return [
    {
      ...of,
      at: queuedAt,
      type: 'run-queue',
      kind: 'chain',
      depth: run.depth,
      toolCallId: null,
      item: 0,
      name,
      title,
      task,
      parentChain,
      traceId: traceIdOf(id),
      envelope,
      envelopeHash,
      ...(run.place && { place: run.place }),
    },
    {
      ...of,
      at: startedAt ?? queuedAt,
      type: 'run-start',
      attempt: 1,
      envelope,
      envelopeHash,
      queuedMs: 0,
      serves: true,
    },
    ...entries.map((entry) => eventOf(of, entry, runs)),
    ...(plan ? [{ ...of, at: end, type: 'plan-change' as const, items: plan }] : []),
    {
      ...of,
      at: end,
      type: 'run-end',
      outcome: run.outcome ?? 'cancelled',
      text,
      error,
      usage: usageOf(ZERO_TALLY),
      durationMs: durationMs ?? 0,
      entries: entries.length,
      ...(reviews ? { reviews } : {}),
    },
  ];
}

function summarizeStage({ id, run: { agent, kind, status, outcome, durationMs } }: TakenStage): SubAgentSummary {
  return { runId: id, agent, kind, status, outcome, durationMs, usage: usageOf(ZERO_TALLY) };
}

/** What it is a copy of, with how long agents worked and waited there until `end`. */
function copyOf({ workflow, run, approvals, isCut }: Source, end: string): TakenFrom {
  // A copy of a copy: its questions stay with the first.
  const waitedMs = workflow.taken?.waitedMs ?? waitedForYouMs(approvals, Date.parse(end));
  const workedMs = isCut ? undefined : (workflow.taken?.workedMs ?? workflow.workedMs);
  const from = { conversationId: workflow.conversationId, workflowId: workflow.id, runId: run.id };
  return { ...from, waitedMs, ...(typeof workedMs === 'number' && { workedMs }) };
}

/** Pictures of a workflow that is taken over, each once. */
export function imagesIn({
  workflow,
  entries,
}: Pick<Source, 'entries'> & { workflow: Pick<WorkflowRow, 'images'> }): Image[] {
  const all = [
    ...(workflow.images ?? []),
    ...entries.flatMap((entry) =>
      entry.kind === 'user' ? (entry.images ?? []) : entry.kind === 'tool' ? (entry.image ?? []) : [],
    ),
  ];
  return [...new Map(all.map((image) => [image.sha256, image])).values()];
}

/** With a result for each call, and a mark where it was cut. */
function settled({ workflow, run, entries, isCut }: Source): Entry[] {
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

/** `runs`: the ids that runs have here, by those that they are copies of. */
function eventOf(of: Ids, entry: Entry, runs: Place['runs']): EventDraft {
  const at = { ...of, at: entry.at };
  switch (entry.kind) {
    case 'tool':
      return { ...at, type: 'tool-end', entry: withoutUndo(entry) };
    case 'compaction':
      return { ...at, type: 'compaction', entry: renamed(entry, runs) };
    case 'handoff':
      return { ...at, type: 'handoff', entry };
    case 'user':
    case 'assistant':
    case 'system':
      return { ...at, type: 'message-end', entry };
  }
}

/** It stands for the same runs, which have other ids here. */
function renamed(entry: CompactionEntry, runs: Place['runs']): CompactionEntry {
  return entry.priorRuns ? { ...entry, priorRuns: entry.priorRuns.map((id) => runs.get(id) ?? id) } : entry;
}
