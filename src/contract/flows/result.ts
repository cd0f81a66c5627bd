/** Which answer of a run is its result, why, and which answers it supersedes. Pure. */
import type { AssistantEntry, Entry, Review } from '../message.ts';
import { textOf } from '../messages/response-text.ts';
import type { RunRow } from '../view.ts';

/**
 * `approved`: its review passed. `completed`: the coagent added to it and ended the work. `declared`: the agent called its
 * work complete. `best`: the highest score when the rounds were used up; `last`: the latest one, as none had a score.
 */
export type ResultReason = 'approved' | 'completed' | 'declared' | 'best' | 'last';

/** An answer by the number of its entry. `score`: 0 to 100; null if its review gave none. */
export interface ReviewedAnswer {
  entry: number;
  score: number | null;
}

export interface ResultChoice extends ReviewedAnswer {
  reason: ResultReason;
}

/** Null for a run that has not ended, and for one whose answers nothing reviewed. */
export function chooseResult(
  { text, outcome }: Pick<RunRow, 'text' | 'outcome'>,
  entries: readonly Entry[],
): ResultChoice | null {
  const answers = reviewedAnswers(entries);
  const last = entries.findLast((entry): entry is AssistantEntry => entry.kind === 'assistant' && !entry.interrupted);
  if (answers.length === 0 || !last || outcome === null || outcome === 'interrupted') return null;
  const passed = reviewsIn(entries).findLast(({ verdict }) => verdict?.passed);
  const scoreAt = (entry: number): number | null => answers.find((answer) => answer.entry === entry)?.score ?? null;
  const choose = (entry: number, reason: ResultReason): ResultChoice => ({ entry, reason, score: scoreAt(entry) });
  if (last.by !== undefined) return choose(answers.at(-1)!.entry, 'completed');
  if (outcome === 'completed' && passed) return choose(passed.answer, 'approved');
  if (outcome === 'completed' && answers.every(({ entry }) => entry !== last.n)) return choose(last.n, 'declared');
  const same = entries.findLast((entry) => entry.kind === 'assistant' && textOf(entry) === text);
  const entry = same?.n ?? last.n;
  return choose(entry, scoreAt(entry) === null ? 'last' : 'best');
}

/** The answers that a later one, or a better one, took the place of. Of a run that works: those after which it answered again. */
export function supersededAnswers(
  run: Pick<RunRow, 'text' | 'outcome'>,
  entries: readonly Entry[],
): readonly ReviewedAnswer[] {
  const answers = reviewedAnswers(entries);
  if (answers.length === 0) return answers;
  const result = chooseResult(run, entries);
  if (result) return answers.filter(({ entry }) => entry !== result.entry);
  const last = entries.findLast((entry) => entry.kind === 'assistant' && entry.by === undefined);
  return answers.filter(({ entry }) => entry < (last?.n ?? 0));
}

/** In order: each answer that went to a review or to a coagent, with its last score. */
function reviewedAnswers(entries: readonly Entry[]): ReviewedAnswer[] {
  const scores = new Map<number, number | null>();
  for (const entry of entries) if (entry.kind === 'handoff') scores.set(entry.answer, null);
  for (const { answer, verdict } of reviewsIn(entries)) scores.set(answer, verdict?.score ?? null);
  return [...scores].map(([entry, score]) => ({ entry, score })).sort((a, b) => a.entry - b.entry);
}

function reviewsIn(entries: readonly Entry[]): Review[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'handoff') return entry.back?.review ?? [];
    return entry.kind === 'system' && entry.review ? entry.review : [];
  });
}
