/** Selects the result of a run from its answers, and lists the answers that it supersedes. Pure. */
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

/** The answer that is the result. */
export interface ResultChoice extends ReviewedAnswer {
  reason: ResultReason;
}

/** Returns null for a run that has not ended, and for a run without reviewed answers. */
export function chooseResult(
  { text, outcome }: Pick<RunRow, 'text' | 'outcome'>,
  entries: readonly Entry[],
): ResultChoice | null {
  const answers = listReviewedAnswers(entries);
  const last = entries.findLast((entry): entry is AssistantEntry => entry.kind === 'assistant' && !entry.interrupted);
  if (answers.length === 0 || !last || outcome === null || outcome === 'interrupted') return null;
  const passed = listReviews(entries).findLast(({ verdict }) => verdict?.passed);
  const scoreAt = (entry: number): number | null => answers.find((answer) => answer.entry === entry)?.score ?? null;
  const choose = (entry: number, reason: ResultReason): ResultChoice => ({ entry, reason, score: scoreAt(entry) });
  if (last.by !== undefined) return choose(answers.at(-1)!.entry, 'completed');
  if (outcome === 'completed' && passed) return choose(passed.answer, 'approved');
  if (outcome === 'completed' && answers.every(({ entry }) => entry !== last.n)) return choose(last.n, 'declared');
  const best = entries.findLast((entry) => entry.kind === 'assistant' && textOf(entry) === text);
  const entry = best?.n ?? last.n;
  return choose(entry, scoreAt(entry) === null ? 'last' : 'best');
}

/** Returns the reviewed answers that are not the result. Of a running run: those that a later answer follows. */
export function findSupersededAnswers(
  run: Pick<RunRow, 'text' | 'outcome'>,
  entries: readonly Entry[],
): readonly ReviewedAnswer[] {
  const answers = listReviewedAnswers(entries);
  if (answers.length === 0) return answers;
  const result = chooseResult(run, entries);
  if (result) return answers.filter(({ entry }) => entry !== result.entry);
  const last = entries.findLast((entry) => entry.kind === 'assistant' && entry.by === undefined);
  return answers.filter(({ entry }) => entry < (last?.n ?? 0));
}

/** Returns each answer that a review or a coagent got, in order, with its last score. */
function listReviewedAnswers(entries: readonly Entry[]): ReviewedAnswer[] {
  const scores = new Map<number, number | null>();
  for (const entry of entries) if (entry.kind === 'handoff') scores.set(entry.answer, null);
  for (const { answer, verdict } of listReviews(entries)) scores.set(answer, verdict?.score ?? null);
  return [...scores].map(([entry, score]) => ({ entry, score })).sort((a, b) => a.entry - b.entry);
}

function listReviews(entries: readonly Entry[]): Review[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'handoff') return entry.back?.review ?? [];
    return entry.kind === 'system' && entry.review ? entry.review : [];
  });
}
