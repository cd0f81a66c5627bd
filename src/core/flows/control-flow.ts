/** What comes next in a control flow: read from the run's own entries alone, so that a run that is rebuilt goes on like any other. Pure. */
import type { Flow } from '#contract/agent.ts';
import type { AssistantEntry, Entry, HandoffEntry, SystemEntry } from '#contract/message.ts';

/** On its way back. */
type Back = HandoffEntry & { back: NonNullable<HandoffEntry['back']> };

export type Move =
  /** The answer is the last one. */
  | { do: 'end' }
  /** The answer goes to the coagent, or back to the agent itself. */
  | { do: 'hand'; round: number }
  /** The coagent's run begins, or goes on. */
  | { do: 'run'; handoff: HandoffEntry & { runId: string } }
  /** The agent goes on with these words. */
  | { do: 'tell'; source: 'coagent' | 'engine'; text: string }
  /** What the coagent has done itself becomes a part of the answer. */
  | { do: 'join'; by: string; text: string }
  | { do: 'failed'; coagent: string; back: Back['back'] }
  /** It has no more rounds. */
  | { do: 'used' };

/** After a whole answer of the run. */
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

/** From here on an answer that was handed over before, and did not come back, is handed over again. */
const ANEW: readonly SystemEntry['code'][] = ['retried', 'extended'];

/** The answer that the coagent has added this one to; null where it is none of the coagent's. */
export function addedTo(entries: readonly Entry[], last: AssistantEntry): AssistantEntry | null {
  const answered = last.by === undefined ? null : handoffsOf(entries).findLast(isBack);
  const answer = entries.find((entry) => entry.kind === 'assistant' && entry.n === answered?.answer);
  return answer?.kind === 'assistant' ? answer : null;
}

/** Which of its answers this is; the person who has it tried again gives it all its rounds again. */
function roundOf(entries: readonly Entry[], { n }: AssistantEntry): number {
  const handed = handoffsOf(since(entries, ['retried'])).map(({ answer }) => answer);
  return 1 + new Set(handed.filter((answer) => answer !== n)).size;
}

/** What the coagent said in the round before; null in the first one. */
export function feedbackBefore(entries: readonly Entry[], { n }: AssistantEntry): string | null {
  const before = handoffsOf(entries).findLast((handoff): handoff is Back => isBack(handoff) && handoff.answer < n);
  return before ? (before.back.review?.verdict?.critique ?? before.prompt) : null;
}

/** Whether it was said with `task_complete`, or another tool that gives an answer. */
export function isDeclaredDone(entries: readonly Entry[], { n }: AssistantEntry): boolean {
  const before = entries.filter((entry) => entry.n < n);
  const asked = before.findLastIndex(
    (entry) => entry.kind === 'user' || (entry.kind === 'assistant' && !entry.interrupted),
  );
  return before.slice(asked + 1).some((entry) => entry.kind === 'tool' && typeof entry.metadata['answer'] === 'string');
}

/** Both ways, in order. */
function handoffsOf(entries: readonly Entry[]): HandoffEntry[] {
  return entries.filter((entry) => entry.kind === 'handoff');
}

function isBack(handoff: HandoffEntry): handoff is Back {
  return handoff.back !== undefined;
}

function since(entries: readonly Entry[], codes: readonly SystemEntry['code'][]): Entry[] {
  return entries.slice(entries.findLastIndex((entry) => entry.kind === 'system' && codes.includes(entry.code)) + 1);
}
