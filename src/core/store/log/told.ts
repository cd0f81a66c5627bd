/** What a run's model is told: its own entries after those of earlier workflows, or the summary that stands for the oldest. */
import type { CompactionEntry, Entry } from '#contract/message.ts';
import type { WireMessage } from '#core/model/model.ts';
import { tagged } from '#core/base/text.ts';
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
  for (let run = prior.length; run >= 0; run -= 1) {
    const entry = holding(prior[run]?.history.entries ?? entries);
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

/** Number of the first entry of a run among `prior` for which a compaction does not stand; null where it does not know of that run. */
export function placeIn({ prior, priorRuns }: CompactionEntry, { runId }: Pick<Earlier, 'runId'>): number | null {
  const places = runPlaces.get(priorRuns) ?? new Map(priorRuns.map((id, index) => [id, index]));
  runPlaces.set(priorRuns, places);
  return prior[places.get(runId) ?? -1] ?? null;
}

/** Places by run id: a long conversation has thousands of runs before a compaction, and every request looks for each. */
const runPlaces = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

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
  if (!found) return [...prior.flatMap(earlierWire), ...toWire(entries, { pending })];
  const { run, entry } = found;
  const before: WireMessage[] = [];
  const left: WireMessage[] = [];
  for (const at of remainingRuns(entry, prior, run)) {
    const one = prior[at];
    if (!one) continue;
    const place = placeIn(entry, one);
    if (place === null) before.push(...earlierWire(one));
    else
      left.push(
        ...toWire(
          one.history.entries.filter(({ n }) => n >= place),
          one.openCalls,
        ),
      );
  }
  const compacted = prior[run];
  const first =
    compacted && left.length === 0
      ? compactedWire(compacted, entry)
      : wireAfter(left, entry, compacted, { entries, pending });
  const after =
    run < prior.length ? [...prior.slice(run + 1).flatMap(earlierWire), ...toWire(entries, { pending })] : [];
  return [...before, ...first, ...after];
}

interface Remaining {
  histories: readonly Transcript[];
  counts: readonly number[];
  runs: readonly number[];
}

/** Results of `remainingRuns` by compaction: most of the thousands of runs before one are summarised whole. */
const remaining = new WeakMap<CompactionEntry, Remaining>();

/** Places of the runs before `run` that a compaction leaves in part, or does not name. */
function remainingRuns(entry: CompactionEntry, prior: Told['prior'], run: number): readonly number[] {
  const cached = remaining.get(entry);
  const isSame = (history: Transcript, at: number): boolean =>
    history === prior[at]?.history && history.entries.length === cached?.counts[at];
  if (cached?.histories.length === run && cached.histories.every(isSame)) return cached.runs;
  const earlier = prior.slice(0, run);
  const runs = earlier.flatMap((one, at) => {
    const place = placeIn(entry, one);
    return place === null || (one.history.entries.at(-1)?.n ?? -1) >= place ? [at] : [];
  });
  const histories = earlier.map(({ history }) => history);
  remaining.set(entry, { histories, counts: histories.map(({ entries }) => entries.length), runs });
  return runs;
}

/** The messages of a compaction and of the later entries of its run. `compacted`: that run; undefined for the working one. */
function wireAfter(
  left: readonly WireMessage[],
  entry: CompactionEntry,
  compacted: Earlier | undefined,
  { entries, pending }: Pick<Told, 'entries'> & { pending: string | undefined },
): WireMessage[] {
  const all = compacted ? compacted.history.entries : entries;
  const openCalls = compacted ? compacted.openCalls : { pending };
  const own = all.filter(({ n }) => n >= entry.upTo);
  const words = headOf(entry);
  return left.length > 0
    ? [...toWire([], {}, words), ...left, ...toWire(own, openCalls)]
    : toWire(own, openCalls, words);
}

/** Messages of earlier runs with a compaction, which every request begins with. */
const compactedMessages = new WeakMap<
  Earlier,
  { entry: CompactionEntry; count: number; messages: readonly WireMessage[] }
>();

function compactedWire(earlier: Earlier, entry: CompactionEntry): readonly WireMessage[] {
  const { entries } = earlier.history;
  const cached = compactedMessages.get(earlier);
  if (cached?.entry === entry && cached.count === entries.length) return cached.messages;
  const messages = wireAfter([], entry, earlier, { entries, pending: undefined });
  compactedMessages.set(earlier, { entry, count: entries.length, messages });
  return messages;
}

/** Messages of earlier runs, which every request contains, with the number of their entries. */
const earlierMessages = new WeakMap<Earlier, { count: number; messages: readonly WireMessage[] }>();

function earlierWire(earlier: Earlier): readonly WireMessage[] {
  const { entries } = earlier.history;
  const cachedEntry = earlierMessages.get(earlier);
  if (cachedEntry?.count === entries.length) return cachedEntry.messages;
  const messages = toWire(entries, earlier.openCalls);
  earlierMessages.set(earlier, { count: entries.length, messages });
  return messages;
}

/** The same in every request, so that a provider's cache goes on from it. */
export function headOf({ text, kept }: Pick<CompactionEntry, 'text' | 'kept'>): string {
  return `[Triad: to make room, what came before was summarised; all of it stands in the person's history. Your own notes on it are the summary; below them is, word for word, what the person said and decided. Go on from here as if you had not been interrupted, and do not do again what is done.]

${tagged('summary', text)}

${tagged('kept', kept)}`;
}
