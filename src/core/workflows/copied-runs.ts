/** Selects the runs and entries that a fork copies when it continues from a step. Pure. */
import { isSubAgent } from '#contract/flows/serving.ts';
import type { Entry } from '#contract/message.ts';
import type { Step } from '#contract/messages/fork.ts';
import type { RunRow } from '#contract/view.ts';
import { chainsIn, isLeft } from './flows/chain.ts';
import { callsOf } from '#core/store/log/transcript.ts';

/** A run in the copy. */
export interface RunPart {
  run: RunRow;
  /** Copied entries. They have their numbers of the first conversation. */
  entries: readonly Entry[];
  /**
   * State of the copy:
   * - `ended`: it has ended, like the first run.
   * - `cut`: it continues after its copied entries. The step is in this run, or in a run below.
   * - `queued`: it starts from the beginning, because the first run did not complete.
   * - `again`: it starts from the beginning, because the step is its start.
   * - `dropped`: it is cancelled, because the first run worked in the background.
   */
  state: 'ended' | 'cut' | 'queued' | 'again' | 'dropped';
}

interface RunsAndEntries {
  runs: readonly RunRow[];
  entries: ReadonlyMap<string, readonly Entry[]>;
}

/** Returns the runs from the lead down to this one, both included. */
export function findPath(runs: readonly RunRow[], runId: string): RunRow[] {
  const run = runs.find(({ id }) => id === runId);
  if (!run) return [];
  return run.parentRunId === null ? [run] : [...findPath(runs, run.parentRunId), run];
}

/**
 * Selects the runs, each parent before its children. The run of the step is cut after the step. Each run above is cut before
 * the result of the call that started the next run of the path. Excludes sub-agents whose call comes later.
 */
export function selectRuns({ runs, entries }: RunsAndEntries, step: Step): RunPart[] {
  const path = findPath(runs, step.runId);
  const chains = chainsIn(runs);
  const getEntries = ({ id }: RunRow): readonly Entry[] => entries.get(id) ?? [];
  const getChildren = ({ id }: RunRow): RunRow[] => runs.filter(({ parentRunId }) => parentRunId === id);
  const getCoagents = (run: RunRow): RunRow[] => getChildren(run).filter(({ kind }) => kind === 'coagent');
  const getStages = ({ id }: RunRow): RunRow[] => chains.get(id) ?? [];
  const makePart = (run: RunRow, state: RunPart['state'], own = getEntries(run)): RunPart => ({
    run,
    entries: own,
    state,
  });
  const copyEnded = (run: RunRow): RunPart[] => [makePart(run, 'ended'), ...getChildren(run).flatMap(copyEnded)];

  const copySubAgent = (run: RunRow, copied: readonly Entry[]): RunPart[] => {
    const { id, toolCallId, outcome } = run;
    if (!copied.some((entry) => entry.kind === 'assistant' && callsOf(entry).some((call) => call.id === toolCallId)))
      return [];
    const result = copied.find((entry) => entry.kind === 'tool' && entry.toolCallId === toolCallId);
    const stages = getStages(run);
    if ([run, ...stages].every(isCompleted) && !isLeft(run, stages)) return copyEnded(run);
    if (result?.kind === 'tool') {
      const wasLeft = (result.metadata['background'] as string[] | undefined)?.includes(id);
      const isReported = copied.some((entry) => entry.kind === 'user' && entry.reportsOf?.includes(id));
      return wasLeft && !isReported ? [makePart(run, 'dropped', [])] : copyEnded(run);
    }
    if (outcome !== 'completed') return [makePart(run, 'queued', [])];
    const end = stages.findIndex((stage) => !isCompleted(stage));
    const whole = stages.slice(0, end < 0 ? undefined : end);
    return [makePart(run, 'ended'), ...[...getCoagents(run), ...whole].flatMap(copyEnded)];
  };

  const copyPath = (run: RunRow, at: number): RunPart[] => {
    const next = path[at + 1];
    const { entry: last } = step;
    if (!next && last === undefined) return [makePart(run, 'again', [])];
    const copied = next ? cutAbove(getEntries(run), next) : getEntries(run).filter(({ n }) => n <= last!);
    const isHeard = (coagent: RunRow): boolean =>
      copied.some(
        (entry) => entry.kind === 'handoff' && entry.runId === coagent.id && (entry.back ?? isCompleted(coagent)),
      );
    const children = getChildren(run).flatMap((child) => {
      if (child === next) return copyPath(child, at + 1);
      if (isSubAgent(child)) return copySubAgent(child, copied);
      if (child.kind === 'coagent') return isHeard(child) ? copyEnded(child) : [];
      return next?.kind === 'chain' && (child.place ?? 0) < (next.place ?? 0) ? copyEnded(child) : [];
    });
    return [makePart(run, next?.kind === 'chain' ? 'ended' : 'cut', copied), ...children];
  };
  return path[0] ? copyPath(path[0], 0) : [];
}

const isCompleted = ({ outcome }: RunRow): boolean => outcome === 'completed';

/** Returns the entries of a run before the result of the call that started the next run, and later results of the same response. */
function cutAbove(entries: readonly Entry[], { id, kind, toolCallId }: RunRow): readonly Entry[] {
  if (kind === 'chain') return entries;
  if (kind === 'coagent') {
    const back = entries.findIndex((entry) => entry.kind === 'handoff' && entry.runId === id && entry.back);
    return back < 0 ? entries : entries.slice(0, back);
  }
  const result = entries.findIndex((entry) => entry.kind === 'tool' && entry.toolCallId === toolCallId);
  if (result < 0) return entries;
  const before = entries.slice(0, result);
  const calls = before.findLast(
    (entry) => entry.kind === 'assistant' && callsOf(entry).some((call) => call.id === toolCallId),
  );
  const siblings = calls?.kind === 'assistant' ? callsOf(calls).map((call) => call.id) : [];
  const later = entries
    .slice(result + 1)
    .filter((entry) => entry.kind === 'tool' && siblings.includes(entry.toolCallId));
  return [...before, ...later];
}
