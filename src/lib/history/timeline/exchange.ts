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

type Request = Pick<RequestUsage, 'startedAt' | 'durationMs' | 'purpose'>;

/** `entries`: in order. */
export function exchangeOf(request: Request, entries: readonly Entry[]): Exchange {
  const [from, to] = [Date.parse(request.startedAt), Date.parse(request.startedAt) + request.durationMs];
  const own = request.purpose === undefined ? entries : [];
  const answer = own.findLast((entry): entry is AssistantEntry => {
    const at = Date.parse(entry.at);
    return entry.kind === 'assistant' && entry.by === undefined && at >= from && at <= to + SLACK_MS;
  });
  const before = answer ? entries.filter(({ n }) => n < answer.n) : entries.filter(({ at }) => Date.parse(at) <= from);
  const last = before.findLastIndex(({ kind }) => kind === 'assistant');
  return { answer: answer ?? null, told: before.slice(last + 1) };
}
