/** What a model request was told last, and its answer, from the entries of its run. Pure. */
import type { RequestUsage } from '#contract/event.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';

/** Between the end of an answer and the moment at which its entry is made, in milliseconds. */
const SLACK_MS = 1000;

export interface Exchange {
  /** Null where the answer is none of the run's messages: a review, a summary, or a request that failed. */
  answer: AssistantEntry | null;
  /** What came to the agent after the answer before, oldest first. */
  told: Entry[];
}

type Request = Pick<RequestUsage, 'requestId' | 'startedAt' | 'durationMs' | 'purpose'>;

/** `entries`: in order. */
export function exchangeOf(request: Request, entries: readonly Entry[]): Exchange {
  const answer = request.purpose === undefined ? answerOf(request, entries) : null;
  const from = Date.parse(request.startedAt);
  const before = answer ? entries.filter(({ n }) => n < answer.n) : entries.filter(({ at }) => Date.parse(at) <= from);
  const last = before.findLastIndex(({ kind }) => kind === 'assistant');
  return { answer, told: before.slice(last + 1) };
}

/**
 * An answer names its request. Only one that came in part is found by its time: the first that was made while the request
 * went on, or right after it. Several of a fast model may end within one second.
 */
function answerOf({ requestId, startedAt, durationMs }: Request, entries: readonly Entry[]): AssistantEntry | null {
  const answers = entries.filter((entry): entry is AssistantEntry => entry.kind === 'assistant');
  const [from, until] = [Date.parse(startedAt), Date.parse(startedAt) + durationMs + SLACK_MS];
  const isThen = ({ at }: Entry): boolean => Date.parse(at) >= from && Date.parse(at) <= until;
  return (
    answers.find(({ request }) => request?.id === requestId) ??
    answers.find((answer) => answer.request === undefined && answer.by === undefined && isThen(answer)) ??
    null
  );
}
