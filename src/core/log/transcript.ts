/** A run's history: its entries in order, what comes next after them, and the request that is rebuilt from them. */
import { isDeepStrictEqual } from 'node:util';
import type {
  AssistantEntry,
  Entry,
  Review,
  SystemEntry,
  ToolEntry,
  ToolUsePart,
  UserEntry,
} from '#contract/message.ts';
import type { WireMessage } from '../model/model.ts';

type Draft =
  | Omit<UserEntry, 'n' | 'at'>
  | Omit<AssistantEntry, 'n' | 'at'>
  | Omit<ToolEntry, 'n' | 'at'>
  | Omit<SystemEntry, 'n' | 'at'>;

export class Transcript {
  readonly entries: Entry[];

  constructor(entries: Entry[]) {
    this.entries = entries;
  }

  /** Numbers and dates an entry and adds it; the caller records it. */
  add<D extends Draft>(draft: D): D & { n: number; at: string } {
    const entry = { ...draft, n: this.entries.length, at: new Date().toISOString() };
    this.entries.push(entry);
    return entry;
  }
}

export type Step =
  | { do: 'request' }
  /** The calls of the last response that have no result yet, in its order. */
  | { do: 'settle'; calls: ToolUsePart[] }
  | { do: 'close'; last: AssistantEntry };

/** What a run has to do next; the same for a fresh run and for one rebuilt from the store. */
export function nextStep(entries: readonly Entry[]): Step {
  const last = entries.findLast(
    (entry) => entry.kind !== 'system' && !(entry.kind === 'assistant' && entry.interrupted),
  );
  if (last === undefined || last.kind === 'user') return { do: 'request' };
  const response = last.kind === 'assistant' ? last : lastResponse(entries);
  if (!response) return { do: 'request' };
  const calls = callsOf(response);
  const open = calls.filter((call) => !entries.some((entry) => entry.kind === 'tool' && entry.toolCallId === call.id));
  if (open.length > 0) return { do: 'settle', calls: open };
  if (calls.length > 0 || response.stopReason === 'pause_turn') return { do: 'request' };
  return { do: 'close', last: response };
}

/** The newest response that came whole. */
export function lastResponse(entries: readonly Entry[]): AssistantEntry | undefined {
  return entries.findLast((entry): entry is AssistantEntry => entry.kind === 'assistant' && !entry.interrupted);
}

export function callsOf(entry: AssistantEntry): ToolUsePart[] {
  return entry.parts.filter((part) => part.type === 'tool_use');
}

export function textOf(entry: AssistantEntry): string {
  return entry.parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim();
}

/** The reviews of the run's answers, in order. */
export function reviewsOf(entries: readonly Entry[]): Review[] {
  return entries.flatMap((entry) => (entry.kind === 'system' && entry.review ? [entry.review] : []));
}

/** As the end of a run has them: left out where there are none. */
export function reviewedIn(entries: readonly Entry[]): { reviews?: Review[] } {
  const reviews = reviewsOf(entries);
  return reviews.length > 0 ? { reviews } : {};
}

/**
 * Of answers that were reviewed the best, the later one of equals; one after them that came whole was made to be better.
 * Null where nothing was reviewed.
 */
export function bestAnswer(entries: readonly Entry[]): string | null {
  const reviews = reviewsOf(entries);
  if (reviews.length === 0) return null;
  const step = nextStep(entries);
  const newest = step.do === 'close' && isWhole(step.last) ? step.last : null;
  if (newest && reviews.every(({ answer }) => answer !== newest.n)) return textOf(newest);
  const best = reviews.reduce<Review | null>(
    (one, review) => ((review.verdict?.score ?? -1) >= (one?.verdict?.score ?? -1) ? review : one),
    null,
  );
  const answer = entries.find(({ n }) => n === best?.answer);
  return answer?.kind === 'assistant' ? textOf(answer) : null;
}

function isWhole(answer: AssistantEntry): boolean {
  return (answer.stopReason === 'end_turn' || answer.stopReason === 'stop_sequence') && textOf(answer) !== '';
}

/**
 * What a run that did not complete has to show: all that the agent said so far, also unfinished words at the end; where
 * it reviewed itself, its best answer.
 */
export function salvaged(entries: readonly Entry[]): string {
  const best = bestAnswer(entries);
  if (best !== null) return best;
  const end = entries.findLastIndex((entry) => entry.kind === 'assistant' && !entry.interrupted);
  // Of several attempts at the last response the one that came furthest.
  const cut = entries
    .slice(end + 1)
    .flatMap((entry) => (entry.kind === 'assistant' ? [textOf(entry)] : []))
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
  const whole = entries.flatMap((entry) => (entry.kind === 'assistant' && !entry.interrupted ? [textOf(entry)] : []));
  return [...whole, cut].filter((text) => text !== '').join('\n\n');
}

/** Responses so far, each one turn of the model. */
export function turnsOf(entries: readonly Entry[]): number {
  return entries.reduce((count, entry) => count + (entry.kind === 'assistant' && !entry.interrupted ? 1 : 0), 0);
}

/** How many times in a row, up to and with this call, the agent made the same call. */
export function repeatsOf(entries: readonly Entry[], call: ToolUsePart): number {
  const calls = entries.flatMap((entry) => (entry.kind === 'assistant' && !entry.interrupted ? callsOf(entry) : []));
  const until = calls.findLastIndex(({ id }) => id === call.id);
  let count = 0;
  for (let index = until; index >= 0; index -= 1) {
    const other = calls[index];
    if (!other || other.name !== call.name || !isDeepStrictEqual(other.input, call.input)) break;
    count += 1;
  }
  return count;
}

const LOST = 'No result: the work was interrupted before this call was done';

/**
 * The messages of a request: one assistant message for each response, then one user message with all its results
 * in the order of the calls and with the words that came since. Interrupted responses and system remarks stay out.
 * A call without a result gets `pending` for one (its workflow was stopped or lost): no request goes without.
 */
export function toWire(entries: readonly Entry[], pending = LOST): WireMessage[] {
  const messages: WireMessage[] = [];
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])),
  );
  let content: Extract<WireMessage, { role: 'user' }>['content'] = [];
  const flush = (): void => {
    if (content.length > 0) messages.push({ role: 'user', content });
    content = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'user') content.push({ type: 'text', text: entry.text });
    if (entry.kind !== 'assistant' || entry.interrupted || entry.parts.length === 0) continue;
    flush();
    messages.push({ role: 'assistant', content: entry.parts });
    for (const call of callsOf(entry)) {
      const result = results.get(call.id);
      content.push({
        type: 'tool_result',
        toolCallId: call.id,
        output: result?.output ?? pending,
        isError: result?.status !== 'completed',
      });
    }
  }
  flush();
  return messages;
}
