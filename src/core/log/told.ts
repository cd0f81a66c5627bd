/** What a run's model is told: its own entries after those of earlier workflows, or the summary that stands for the oldest. */
import type { CompactionEntry, Entry } from '#contract/message.ts';
import type { WireMessage } from '../model/model.ts';
import { tagged } from '../base/text.ts';
import { begunResponses, callsOf, lastResponse, type OpenCalls, toWire, type Transcript } from './transcript.ts';

/** A lead's run in an earlier workflow. */
export interface Earlier {
  readonly runId: string;
  readonly history: Transcript;
  /** The calls of its workflow that an interruption cut off; missing if it was not interrupted. */
  readonly openCalls?: OpenCalls;
}

/** The entries of a run, and before it the runs of earlier workflows, oldest first. */
export interface Told {
  readonly prior: readonly Earlier[];
  readonly entries: readonly Entry[];
}

/** The newest compaction that holds, with its run's place among `prior` (their number: the run itself); null where none does. */
export function compactionOf({ prior, entries }: Told): { run: number; entry: CompactionEntry } | null {
  const runs = [...prior.map(({ history }) => history.entries), entries];
  for (let run = runs.length - 1; run >= 0; run -= 1) {
    const entry = holding(runs[run] ?? []);
    if (entry) return { run, entry };
  }
  return null;
}

/** The newest compaction of a run that holds. */
export function holding(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry): entry is CompactionEntry => entry.kind === 'compaction' && !entry.undone);
}

/** The newest compaction of a run, also one that was taken back. */
export function lastCompaction(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry): entry is CompactionEntry => entry.kind === 'compaction');
}

/** Number of the first entry of run `at` among `prior` for which a compaction does not stand; null where it does not know of that run. */
export function placeIn(
  { prior, priorRuns }: CompactionEntry,
  { runId }: Pick<Earlier, 'runId'>,
  at: number,
): number | null {
  return prior[priorRuns ? priorRuns.indexOf(runId) : at] ?? null;
}

/** The places of a compaction that stands for all of these runs; a last response that is not done stays, for what it waits for. */
export function placesOf(prior: Told['prior']): Pick<CompactionEntry, 'prior' | 'priorRuns'> {
  const place = ({ history: { entries } }: Earlier): number => {
    const last = lastResponse(entries);
    const done = new Set(entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.toolCallId] : [])));
    const isOpen = last?.stopReason === 'pause_turn' || (last && callsOf(last).some(({ id }) => !done.has(id)));
    return (isOpen && begunResponses(entries).at(-1)?.n) || entries.length;
  };
  return { prior: prior.map(place), priorRuns: prior.map(({ runId }) => runId) };
}

/**
 * The messages of a request. A compaction stands for all before its `upTo`; what an earlier workflow that went on has said
 * since follows it, and an earlier workflow of which it does not know comes before it. `pending` is the result of open
 * calls of the run itself.
 */
export function toldWire(told: Told, pending?: string): WireMessage[] {
  const { prior, entries } = told;
  const found = compactionOf(told);
  const runs = [
    ...prior.map(({ history, openCalls }) => ({ entries: history.entries, openCalls })),
    { entries, openCalls: { pending } },
  ];
  if (!found) return runs.flatMap((one) => toWire(one.entries, one.openCalls));
  const { run, entry } = found;
  const before: WireMessage[] = [];
  const left: WireMessage[] = [];
  for (const [at, one] of prior.slice(0, run).entries()) {
    const place = placeIn(entry, one, at);
    const kept = one.history.entries.filter(({ n }) => n >= (place ?? 0));
    (place === null ? before : left).push(...toWire(kept, one.openCalls));
  }
  const [head, ...rest] = runs.slice(run);
  const own = (head?.entries ?? []).filter(({ n }) => n >= entry.upTo);
  const words = headOf(entry);
  const first =
    left.length > 0
      ? [...toWire([], {}, words), ...left, ...toWire(own, head?.openCalls)]
      : toWire(own, head?.openCalls, words);
  return [...before, ...first, ...rest.flatMap((one) => toWire(one.entries, one.openCalls))];
}

/** The same in every request, so that a provider's cache goes on from it. */
export function headOf({ text, kept }: Pick<CompactionEntry, 'text' | 'kept'>): string {
  return `[Triad: to make room, what came before was summarised; all of it stands in the person's history. Your own notes on it are the summary; below them is, word for word, what the person said and decided. Go on from here as if you had not been interrupted, and do not do again what is done.]

${tagged('summary', text)}

${tagged('kept', kept)}`;
}
