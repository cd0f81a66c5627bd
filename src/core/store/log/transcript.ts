/** A run's transcript: its entries in order, the next step after them, and the request messages built from them. */
import { isDeepStrictEqual } from 'node:util';
import type {
  AssistantEntry,
  CompactionEntry,
  Entry,
  HandoffEntry,
  Part,
  Review,
  SystemEntry,
  ToolEntry,
  ToolUsePart,
  UserEntry,
} from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import type { WireMessage } from '#core/model/model.ts';

type Draft =
  | Omit<UserEntry, 'n' | 'at'>
  | Omit<AssistantEntry, 'n' | 'at'>
  | Omit<ToolEntry, 'n' | 'at'>
  | Omit<SystemEntry, 'n' | 'at'>
  | Omit<HandoffEntry, 'n' | 'at'>
  | Omit<CompactionEntry, 'n' | 'at'>;

export class Transcript {
  readonly entries: Entry[];

  constructor(entries: Entry[]) {
    this.entries = entries;
  }

  /** Puts an entry in the place of the one with its number. */
  replace(entry: Entry): void {
    const at = this.entries.findIndex(({ n }) => n === entry.n);
    if (at >= 0) this.entries[at] = entry;
  }

  /** Appends an entry with its number and time. The caller records the event. */
  add<D extends Draft>(draft: D): D & { n: number; at: string } {
    const entry = { ...draft, n: this.entries.length, at: new Date().toISOString() };
    this.entries.push(entry);
    return entry;
  }
}

export type Step =
  | { do: 'request' }
  /** Calls of the last response without a result, in its order. */
  | { do: 'settle'; calls: ToolUsePart[] }
  /** It has given its answer through a tool: that is said before anything else. */
  | { do: 'answer'; text: string }
  | { do: 'close'; last: AssistantEntry };

/** The next step of a run; depends on the entries alone, so a resumed run goes on like a live one. */
export function nextStep(entries: readonly Entry[]): Step {
  const last = entries.findLast(
    (entry) =>
      !['system', 'handoff', 'compaction'].includes(entry.kind) && !(entry.kind === 'assistant' && entry.interrupted),
  );
  if (last === undefined || last.kind === 'user') return { do: 'request' };
  const response = last.kind === 'assistant' ? last : lastResponse(entries);
  if (!response) return { do: 'request' };
  const calls = callsOf(response);
  const open = calls.filter((call) => !entries.some((entry) => entry.kind === 'tool' && entry.toolCallId === call.id));
  if (open.length > 0) return { do: 'settle', calls: open };
  const answer = last.kind === 'tool' ? answeredBy(entries, calls) : null;
  if (answer !== null) return { do: 'answer', text: answer };
  if (calls.length > 0 || response.stopReason === 'pause_turn') return { do: 'request' };
  return { do: 'close', last: response };
}

/** The answer that the last of these calls to give one has given (`answer` in its metadata). */
function answeredBy(entries: readonly Entry[], calls: readonly ToolUsePart[]): string | null {
  const gave = entries.findLast(
    (entry): entry is ToolEntry =>
      entry.kind === 'tool' &&
      typeof entry.metadata['answer'] === 'string' &&
      calls.some(({ id }) => id === entry.toolCallId),
  );
  return gave ? String(gave.metadata['answer']) : null;
}

/** The stamp of a file as the last call that completed has read or written it; null where none has. */
export function stampIn(entries: readonly Entry[], path: string): string | null {
  const stamp = entries.findLast(
    (entry): entry is ToolEntry =>
      entry.kind === 'tool' && entry.metadata['path'] === path && typeof entry.metadata['stamp'] === 'string',
  )?.metadata['stamp'];
  return typeof stamp === 'string' ? stamp : null;
}

/** Where the last command has left the run's shell, relative to the workspace folder; empty for itself, and before the first. */
export function shellFolderIn(entries: readonly Entry[]): string {
  const folder = entries.findLast(
    (entry): entry is ToolEntry =>
      entry.kind === 'tool' && 'exitCode' in entry.metadata && typeof entry.metadata['folder'] === 'string',
  )?.metadata['folder'];
  return typeof folder === 'string' ? folder : '';
}

/** The newest response that was not interrupted. */
export function lastResponse(entries: readonly Entry[]): AssistantEntry | undefined {
  return entries.findLast((entry): entry is AssistantEntry => entry.kind === 'assistant' && !entry.interrupted);
}

/** The responses of which requests tell, but for those that go on with one in which the provider had paused: both are one. */
export function begunResponses(entries: readonly Entry[]): AssistantEntry[] {
  const told = entries.filter(
    (entry): entry is AssistantEntry => entry.kind === 'assistant' && !entry.interrupted && entry.parts.length > 0,
  );
  return told.filter((_, at) => told[at - 1]?.stopReason !== 'pause_turn');
}

export function callsOf(entry: AssistantEntry): ToolUsePart[] {
  return entry.parts.filter((part) => part.type === 'tool_use');
}

/** The text of a response, with that of those right before it in which the provider had only paused. */
export function answerOf(entries: readonly Entry[], last: AssistantEntry): string {
  const before = entries.filter((entry) => entry.n < last.n && !(entry.kind === 'assistant' && entry.interrupted));
  const begun = before.findLastIndex((entry) => entry.kind !== 'assistant' || entry.stopReason !== 'pause_turn') + 1;
  return [...before.slice(begun), last]
    .flatMap((entry) => (entry.kind === 'assistant' ? [textOf(entry)] : []))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** The reviews of the run's answers, by itself and by its coagent, in order. */
export function reviewsOf(entries: readonly Entry[]): Review[] {
  return entries.flatMap((entry) => {
    const review = entry.kind === 'system' ? entry.review : entry.kind === 'handoff' ? entry.back?.review : undefined;
    return review ? [review] : [];
  });
}

/** The reviews as a field of `run-end`; left out if there are none. */
export function reviewedIn(entries: readonly Entry[]): { reviews?: Review[] } {
  const reviews = reviewsOf(entries);
  return reviews.length > 0 ? { reviews } : {};
}

/**
 * The text of the best answer: a complete one after the last review, else the one with the highest score (the latest
 * of equals). Null if nothing was reviewed.
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
 * The report of a run that did not complete: its best reviewed answer, else all text so far, including the longest
 * interrupted response at the end.
 */
export function salvaged(entries: readonly Entry[]): string {
  const best = bestAnswer(entries);
  if (best !== null) return best;
  const end = entries.findLastIndex((entry) => entry.kind === 'assistant' && !entry.interrupted);
  // The longest of several attempts at the last response.
  const cut = entries
    .slice(end + 1)
    .flatMap((entry) => (entry.kind === 'assistant' ? [textOf(entry)] : []))
    .reduce((longest, text) => (text.length > longest.length ? text : longest), '');
  const whole = entries.flatMap((entry) => (entry.kind === 'assistant' && !entry.interrupted ? [textOf(entry)] : []));
  return [...whole, cut].filter((text) => text !== '').join('\n\n');
}

/** Number of turns: responses that were not interrupted. */
export function turnsOf(entries: readonly Entry[]): number {
  return entries.reduce((count, entry) => count + (entry.kind === 'assistant' && !entry.interrupted ? 1 : 0), 0);
}

/** Number of consecutive identical calls (name and input), up to and including this one. */
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

/** As its model reads it: what the person says while it works is told apart from what its task is. */
export function asTold({ text, said }: Pick<UserEntry, 'text' | 'said'>): string {
  return said === undefined ? text : `[Triad: the person, who follows your work, says to you:]\n\n${text}`;
}

/** What the model is told of a response of its own that was cut off after it had been acted upon. */
function noteOfCut(calls: readonly string[]): string {
  const begun = calls.length > 0 ? `, with the calls that you had begun: ${calls.join(', ')}` : '';
  return `[Triad: your response was cut off after these calls. What followed is lost${begun}; nothing of it was done. Do again what is still needed.]`;
}

const LOST = 'No result: the work was interrupted before this call was done';

/** The texts in a request for calls without a result. */
export interface OpenCalls {
  /** The result of each call that is not in `results`. */
  pending?: string | undefined;
  /** Results by call id. */
  results?: ReadonlyMap<string, string>;
  /** A text after all entries; null or missing for none. */
  note?: string | null;
}

/** Returns a call as the model wrote it, and any other part unchanged. */
function asWritten(part: Part): Part {
  if (part.type !== 'tool_use' || !part.written) return part;
  const { written, ignored: _, ...call } = part;
  return { ...call, name: written.name, input: written.input };
}

/**
 * The messages of a request: one assistant message for each response, then one user message with all its results
 * in the order of the calls and with the words that came since. Interrupted responses and system remarks stay out.
 * A call without a result gets a text as one, because the API requires a result for each call. `head`: words before all
 * of it.
 */
export function toWire(
  entries: readonly Entry[],
  { pending = LOST, results: openResults, note = null }: OpenCalls = {},
  head: string | null = null,
): WireMessage[] {
  const messages: WireMessage[] = [];
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])),
  );
  let content: Extract<WireMessage, { role: 'user' }>['content'] = head === null ? [] : [{ type: 'text', text: head }];
  const flush = (): void => {
    if (content.length > 0) messages.push({ role: 'user', content });
    content = [];
  };
  for (const entry of entries) {
    if (entry.kind === 'user') {
      content.push(...(entry.images ?? []).map((image) => ({ type: 'image' as const, image })));
      content.push({ type: 'text', text: asTold(entry) });
    }
    if (entry.kind !== 'assistant' || entry.interrupted || entry.parts.length === 0) continue;
    flush();
    messages.push({ role: 'assistant', content: entry.parts.map(asWritten) });
    for (const call of callsOf(entry)) {
      const result = results.get(call.id);
      content.push({
        type: 'tool_result',
        toolCallId: call.id,
        output: result?.output ?? openResults?.get(call.id) ?? pending,
        isError: result?.status !== 'completed',
        ...(result?.image && { image: result.image }),
      });
    }
    if (entry.cut) content.push({ type: 'text', text: noteOfCut(entry.cut.calls) });
  }
  if (note !== null) content.push({ type: 'text', text: note });
  flush();
  return messages;
}
