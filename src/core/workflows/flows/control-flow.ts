/** Determines the next move of a control flow from the entries of the run, also for a run from the store. Pure. */
import type { Flow } from '#contract/agent.ts';
import type { AssistantEntry, Entry, HandoffEntry, SystemEntry } from '#contract/message.ts';

/** A handoff back from the coagent. */
type Back = HandoffEntry & { back: NonNullable<HandoffEntry['back']> };

export type Move =
  /** The answer is the last one. */
  | { do: 'end' }
  /** The answer goes to the coagent, or back to the agent itself. */
  | { do: 'hand'; round: number }
  /** The run of the coagent starts or continues. */
  | { do: 'run'; handoff: HandoffEntry & { runId: string } }
  /** The agent continues with this message. */
  | { do: 'tell'; source: 'coagent' | 'engine'; text: string }
  /** The text of the coagent becomes a part of the answer. */
  | { do: 'join'; by: string; text: string }
  | { do: 'failed'; coagent: string; back: Back['back'] }
  /** All rounds are used. */
  | { do: 'used' };

/** Returns the next move after a complete answer of the run. */
export function nextMove(
  entries: readonly Entry[],
  { type, rounds, coagent }: Pick<Flow, 'type' | 'rounds' | 'coagent'>,
  answer: AssistantEntry,
): Move {
  if (type === 'hitl' || answer.by !== undefined) return { do: 'end' };
  const endsItself = type === 'loop';
  if (endsItself && isDeclaredDone(entries, answer)) return { do: 'end' };
  const own = handoffsOf(since(entries, ANEW)).filter((handoff) => handoff.answer === answer.n);
  const out = own.findLast((handoff) => !handoff.back);
  const round = roundOf(entries, answer);
  if (!out) return round > (endsItself ? rounds - 1 : rounds) ? { do: 'used' } : { do: 'hand', round };
  const { runId } = out;
  if (!coagent || runId === null) return { do: 'tell', source: 'engine', text: out.prompt };
  const back = own.find(isBack);
  if (!back) return { do: 'run', handoff: { ...out, runId } };
  if (back.back.outcome !== 'completed') return { do: 'failed', coagent: coagent.agent, back: back.back };
  const { prompt: text } = back;
  if (back.back.review?.verdict?.passed) return text === '' ? { do: 'end' } : { do: 'join', by: coagent.agent, text };
  if (!endsItself && round >= rounds) return { do: 'used' };
  return { do: 'tell', source: 'coagent', text };
}

/** Entries after which an answer without a reply is handed over again. */
const ANEW: readonly SystemEntry['code'][] = ['retried', 'extended'];

/** Returns the answer that the coagent has extended by this one; null if this one is not by the coagent. */
export function addedTo(entries: readonly Entry[], last: AssistantEntry): AssistantEntry | null {
  const answered = last.by === undefined ? null : handoffsOf(entries).findLast(isBack);
  const answer = entries.find((entry) => entry.kind === 'assistant' && entry.n === answered?.answer);
  return answer?.kind === 'assistant' ? answer : null;
}

/** Returns the round of an answer, from 1. A retry by the person starts the count again. */
function roundOf(entries: readonly Entry[], { n }: AssistantEntry): number {
  const handed = handoffsOf(since(entries, ['retried'])).map(({ answer }) => answer);
  return 1 + new Set(handed.filter((answer) => answer !== n)).size;
}

/** Returns the text of the coagent in the round before; null in the first round. */
export function feedbackBefore(entries: readonly Entry[], { n }: AssistantEntry): string | null {
  const before = handoffsOf(entries).findLast((handoff): handoff is Back => isBack(handoff) && handoff.answer < n);
  return before ? (before.back.review?.verdict?.critique ?? before.prompt) : null;
}

/** Returns true if the answer was given by `task_complete`, or another tool that gives an answer. */
export function isDeclaredDone(entries: readonly Entry[], { n }: AssistantEntry): boolean {
  const before = entries.filter((entry) => entry.n < n);
  const asked = before.findLastIndex(
    (entry) => entry.kind === 'user' || (entry.kind === 'assistant' && !entry.interrupted),
  );
  return before.slice(asked + 1).some((entry) => entry.kind === 'tool' && typeof entry.metadata['answer'] === 'string');
}

/** Returns the handoffs to and from the coagent, in order. */
function handoffsOf(entries: readonly Entry[]): HandoffEntry[] {
  return entries.filter((entry) => entry.kind === 'handoff');
}

function isBack(handoff: HandoffEntry): handoff is Back {
  return handoff.back !== undefined;
}

function since(entries: readonly Entry[], codes: readonly SystemEntry['code'][]): Entry[] {
  return entries.slice(entries.findLastIndex((entry) => entry.kind === 'system' && codes.includes(entry.code)) + 1);
}
