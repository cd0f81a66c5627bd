/** What a run's model is told: its own entries after those of earlier workflows, or the summary that stands for the oldest. */
import type { CompactionEntry, Entry } from '#contract/message.ts';
import type { WireMessage } from '../model/model.ts';
import { toWire } from './transcript.ts';

/** The entries of a run, and before them those of earlier workflows, oldest first. */
export interface Told {
  readonly prior: readonly (readonly Entry[])[];
  readonly entries: readonly Entry[];
}

/** The newest compaction that holds, with its run's place among `prior` (their number: the run itself); null where none does. */
export function compactionOf({ prior, entries }: Told): { run: number; entry: CompactionEntry } | null {
  const runs = [...prior, entries];
  for (let run = runs.length - 1; run >= 0; run -= 1) {
    const entry = runs[run]?.findLast((one): one is CompactionEntry => one.kind === 'compaction' && !one.undone);
    if (entry) return { run, entry };
  }
  return null;
}

/** The newest compaction of a run, also one that was taken back. */
export function lastCompaction(entries: readonly Entry[]): CompactionEntry | undefined {
  return entries.findLast((entry): entry is CompactionEntry => entry.kind === 'compaction');
}

/**
 * The messages of a request. A compaction stands for all before its `upTo`; what an earlier workflow that went on has said
 * since is told after it. `pending`: as in `toWire`, for the run's own calls.
 */
export function toldWire(told: Told, pending?: string): WireMessage[] {
  const { prior, entries } = told;
  const found = compactionOf(told);
  if (!found) return [...prior.flatMap((one) => toWire(one)), ...toWire(entries, pending)];
  const { run, entry } = found;
  const runs = [...prior, entries];
  const left = runs.slice(0, run).flatMap((one, at) => toWire(one.filter(({ n }) => n >= (entry.prior[at] ?? 0))));
  const [head, ...rest] = runs.slice(run);
  const own = (head ?? []).filter(({ n }) => n >= entry.upTo);
  const words = headOf(entry);
  const first =
    left.length > 0 ? [...toWire([], undefined, words), ...left, ...toWire(own, pending)] : toWire(own, pending, words);
  return [...first, ...rest.flatMap((one) => toWire(one, pending))];
}

/** The same in every request, so that a provider's cache goes on from it. */
export function headOf({ text, kept }: Pick<CompactionEntry, 'text' | 'kept'>): string {
  return `[Triad: to make room, what came before was summarised; all of it stands in the person's history. Your own notes on it are the summary; below them is, word for word, what the person said and decided. Go on from here as if you had not been interrupted, and do not do again what is done.]

<summary>
${text}
</summary>

<kept>
${kept}
</kept>`;
}
