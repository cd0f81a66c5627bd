/** The cache of steps of a fork: what was done well in the workflow that it was forked from, up to the step of the fork. */
import type { Approval } from '#contract/approval.ts';
import { isSubAgent } from '#contract/flows/serving.ts';
import type { AssistantEntry, Cached, Entry, StopReason, ToolEntry, ToolUsePart } from '#contract/message.ts';
import type { ForkStep } from '#contract/messages/fork.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { RunRow } from '#contract/view.ts';
import type { Store } from '../store/store.ts';
import { callKey } from './step-keys.ts';
import { callsOf } from './transcript.ts';

/** A sub-agent that completed, with all that served it. */
export interface FinishedRun {
  row: RunRow;
  /** The hash of the envelope that was asked for: the person may have changed it before allowing it. */
  asked: string;
  /** What the person did change; undefined for nothing. */
  edited: unknown;
  /** The envelope that was asked for. */
  envelope: unknown;
  paid: Cached;
  entries: readonly Entry[];
  /** Its stages in order, and the coagents of it and of them. */
  below: readonly FinishedRun[];
}

interface Known {
  step: ForkStep;
  runs: readonly RunRow[];
  entries: ReadonlyMap<string, Entry[]>;
  approvals: readonly Approval[];
}

/** Ways in which a response ends that came whole. */
const WHOLE: readonly (StopReason | null)[] = ['end_turn', 'tool_use', 'stop_sequence', 'pause_turn'];

/** The steps of one run there. */
export class RunSteps {
  readonly #known: Known;
  readonly #row: RunRow;
  readonly #responses: readonly AssistantEntry[];
  readonly #calls = new Map<string, { call: ToolUsePart; result: ToolEntry | undefined }>();

  constructor(known: Known, row: RunRow) {
    this.#known = known;
    this.#row = row;
    const entries = known.entries.get(row.id) ?? [];
    const last = lastOf(known, row);
    this.#responses = entries.filter(
      (entry): entry is AssistantEntry => entry.kind === 'assistant' && entry.n <= last && isWhole(entry),
    );
    const results = new Map(entries.flatMap((one) => (one.kind === 'tool' ? [[one.toolCallId, one] as const] : [])));
    for (const response of this.#responses)
      for (const [place, call] of callsOf(response).entries())
        this.#calls.set(callKey(response.request?.key ?? '', place, call), { call, result: results.get(call.id) });
  }

  get row(): RunRow {
    return this.#row;
  }

  get entries(): readonly Entry[] {
    return this.#known.entries.get(this.#row.id) ?? [];
  }

  /** The runs that did this, by their conversations: there, and where it was taken from there. Of a lead all of its workflow. */
  get doers(): Map<string, Set<string>> {
    const own = this.#row.parentRunId === null ? this.#known.runs : [this.#row];
    const done = own.flatMap((row) => [
      { conversationId: row.conversationId, runId: row.id },
      ...(row.cached ? [row.cached] : []),
      ...(this.#known.entries.get(row.id) ?? []).flatMap(({ cached }) => cached ?? []),
    ]);
    const byConversation = Map.groupBy(done, ({ conversationId }) => conversationId);
    return new Map([...byConversation].map(([id, some]) => [id, new Set(some.map(({ runId }) => runId))]));
  }

  /** What the request with this key was answered with; null where none like it was answered whole. */
  answer(key: string): AssistantEntry | null {
    return this.#responses.find(({ request }) => request?.key === key) ?? null;
  }

  /** The result of a call that completed, of a response that was taken from here. */
  result(history: readonly Entry[], callId: string): ToolEntry | null {
    const result = this.#found(history, callId)?.result;
    return result?.status === 'completed' ? result : null;
  }

  /**
   * What stood, beside its responses and the results of their calls, before the next response there: words of the person
   * and of the engine, reviews, summaries. Nothing where not all before it was taken from here, or more would have to be
   * done again to come there.
   */
  between(history: readonly Entry[]): Entry[] {
    const last = history.findLast((entry) => entry.kind === 'assistant');
    const at = this.#responses.findIndex(({ request }) => request?.key === last?.request?.key);
    const from = this.#responses[at];
    const isLast = this.#row.id === this.#known.step.runId;
    const end = this.#responses[at + 1]?.n ?? (isLast ? this.#known.step.entry + 1 : 0);
    if (!last?.cached || !from) return [];
    const since = history.slice(history.indexOf(last) + 1);
    if (since.some((entry) => !entry.cached && entry.kind !== 'system')) return [];
    const found = this.entries.filter(({ n, kind }) => n > from.n && n < end && kind !== 'tool');
    const kept = found.filter((entry) => entry.kind !== 'system' || entry.code === 'review');
    if (kept.some(({ kind }) => kind === 'handoff' || kind === 'assistant')) return [];
    return kept.slice(since.filter(({ kind, cached }) => kind !== 'tool' && cached).length);
  }

  /** The sub-agent that a call of a response from here has started, where it was asked for with this envelope and completed. */
  finished(history: readonly Entry[], callId: string, item: number, hash: string): FinishedRun | null {
    const row = this.#started(history, callId, item);
    const run = row && this.#isFinished(row) ? this.#finishedOf(row) : null;
    return run?.asked === hash ? run : null;
  }

  /** The steps of the sub-agent that a call of a response from here has started. */
  ofSubAgent(history: readonly Entry[], callId: string, item: number): RunSteps | null {
    const row = this.#started(history, callId, item);
    return row ? new RunSteps(this.#known, row) : null;
  }

  /** The steps of what served this run there: of a stage by its place, of a coagent by its round. */
  serving(kind: 'chain' | 'coagent', place: number): RunSteps | null {
    const row = this.#below(this.#row).find((one) => one.kind === kind && one.place === place);
    return row ? new RunSteps(this.#known, row) : null;
  }

  #found(history: readonly Entry[], callId: string) {
    for (const entry of history) {
      if (entry.kind !== 'assistant' || !entry.cached || !entry.request) continue;
      const place = callsOf(entry).findIndex(({ id }) => id === callId);
      const call = callsOf(entry)[place];
      if (call) return this.#calls.get(callKey(entry.request.key, place, call));
    }
    return undefined;
  }

  #started(history: readonly Entry[], callId: string, item: number): RunRow | null {
    const call = this.#found(history, callId)?.call;
    const own = this.#below(this.#row).filter(isSubAgent);
    return own.find((row) => row.toolCallId === call?.id && row.item === item) ?? null;
  }

  #below(row: RunRow): RunRow[] {
    return this.#known.runs.filter(({ parentRunId }) => parentRunId === row.id);
  }

  /** With all that serves it; not where the fork goes on from a step of one of them. */
  #isFinished(row: RunRow): boolean {
    const stages = this.#below(row).filter(({ kind }) => kind === 'chain');
    const isWholeChain = row.kind === 'chain' || row.kind === 'coagent' || stages.length === row.envelope.stages.length;
    return (
      row.outcome === 'completed' &&
      row.id !== this.#known.step.runId &&
      isWholeChain &&
      this.#below(row).every((one) => this.#isFinished(one))
    );
  }

  #finishedOf(row: RunRow): FinishedRun {
    const asked = this.#known.approvals.flatMap(({ request: { subject }, decisions }) =>
      spawnItems(subject).map((item, index) => ({ item, edited: decisions[index]?.edited })),
    );
    const found = asked.find(({ item }) => item.runId === row.id);
    return {
      row,
      asked: row.cached?.key ?? found?.item.hash ?? row.envelopeHash,
      edited: found?.edited,
      envelope: found?.item.envelope ?? row.envelope,
      paid: paidOf(row),
      entries: this.#known.entries.get(row.id) ?? [],
      below: this.#below(row).map((one) => this.#finishedOf(one)),
    };
  }
}

/** Where a step of a run was paid: a fork of a fork names the first of them. */
export function paidBy(entry: Pick<Entry, 'cached'>, steps: RunSteps): Cached {
  return entry.cached ?? paidOf(steps.row);
}

function paidOf({ cached, conversationId, workflowId, id: runId }: RunRow): Cached {
  if (!cached) return { conversationId, workflowId, runId };
  const { key: _, ...paid } = cached;
  return paid;
}

function isWhole({ interrupted, cut, stopReason, request }: AssistantEntry): boolean {
  return !interrupted && !cut && request !== undefined && WHOLE.includes(stopReason);
}

/** The run right below `from` that leads to `to`; undefined where none does. */
export function wayDown(runs: readonly RunRow[], from: string, to: string | null): RunRow | undefined {
  const run = runs.find(({ id }) => id === to);
  return run && run.parentRunId !== from ? wayDown(runs, from, run.parentRunId) : run;
}

/** The number of a run's last entry that may be taken: of the run of the step that one, of those above it the call that led there. */
function lastOf({ step, runs, entries }: Known, row: RunRow): number {
  if (row.id === step.runId) return step.entry;
  const below = wayDown(runs, row.id, step.runId);
  if (!below) return Infinity;
  const { toolCallId } = below;
  const asks = (entry: Entry): boolean =>
    entry.kind === 'assistant' && callsOf(entry).some(({ id }) => id === toolCallId);
  return (entries.get(row.id) ?? []).find(asks)?.n ?? Infinity;
}

/** The steps of the lead there; null where they are not kept any more. */
export async function loadSteps(
  store: Pick<Store, 'conversation' | 'runsOf' | 'recordsOf' | 'approvalsOf'>,
  step: ForkStep,
): Promise<RunSteps | null> {
  // Of one that is deleted for good the rows go after it, a few at a time.
  if (!(await store.conversation(step.conversationId))) return null;
  const runs = await store.runsOf([step.workflowId]);
  const lead = runs.find(({ parentRunId }) => parentRunId === null);
  if (!lead || lead.conversationId !== step.conversationId) return null;
  const [{ entries }, approvals] = await Promise.all([
    store.recordsOf(runs, ['entries']),
    store.approvalsOf([step.workflowId]),
  ]);
  return new RunSteps({ step, runs, entries, approvals }, lead);
}
