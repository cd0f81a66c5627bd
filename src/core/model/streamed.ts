/** One streamed request, whatever the protocol: pacing, cuts, what comes after the end, and what a failure is. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Part } from '#contract/message.ts';
import { MAX_MESSAGE_BYTES } from '#contract/limits.ts';
import { createExcessError, SignListener } from './error-bodies.ts';
import { type Model, ModelError, type ModelEvent, UnknownStop } from './model.ts';
import { cancelledError, connectionError, type RequestTarget, strangeError } from './request-failure.ts';

/** How long a server may keep the connection open after its response ended, in milliseconds. */
export const DRAIN_MS = 250;
/** How long a burst may keep the program busy before others get their turn, in milliseconds. */
const BUSY_MS = 8;

/** Reads one response: raw wire events in, model events out. */
export interface Reader<Raw> {
  read(raw: Raw): ModelEvent[];
  /** Whether the response has begun. */
  readonly begun: boolean;
  /** Whether it gave its `end`, or `unknownStop`. */
  readonly ended: boolean;
  /** The reason for which it ended, where that is none of those that are known: it then gives no `end`. */
  readonly unknownStop: string | null;
  /** How long to wait for the rest of what is whole already, in milliseconds; null as long as it is not. */
  readonly patienceMs: number | null;
  /** The stream is over: what can still be said of a response that is whole. */
  rest?(): ModelEvent[];
}

export interface Opened<Raw> {
  /** Ended by its controller. */
  events: AsyncIterable<Raw> & { controller: AbortController };
  contentType: string;
}

export interface Exchange<Raw> {
  target: RequestTarget;
  reader: Reader<Raw>;
  open: () => Promise<Opened<Raw>>;
  /** What the SDK threw, classified; null where it is none of its own errors: then the connection broke. */
  failureOf: (error: unknown) => ModelError | null;
  signal: AbortSignal;
  /** Called for each piece of the response. */
  onSign?: (() => void) | undefined;
}

/** Ends after `end`, or throws a `ModelError`, as `Model.stream` does. */
export async function* streamed<Raw>(
  exchange: Exchange<Raw>,
): ReturnType<Model['stream']> & AsyncGenerator<ModelEvent> {
  const { target, reader, open, signal, onSign } = exchange;
  let contentType = '';
  const drain = new Drain();
  const signs = new SignListener(onSign);
  try {
    const opened = await signs.during(open);
    ({ contentType } = opened);
    const [pace, size] = [new Pace(), new ResponseSize()];
    for await (const raw of opened.events) {
      pace.begin();
      for (const event of reader.read(raw)) {
        if (size.add(event) > MAX_MESSAGE_BYTES) throw createExcessError(target.host, 'response');
        yield event;
      }
      if (pace.end()) await turn();
      // Reading on to the end of the body keeps the connection for the next request.
      drain.within(reader.patienceMs, () => opened.events.controller.abort());
    }
  } catch (error) {
    if (reader.patienceMs === null) throw thrownBy(error, exchange);
  } finally {
    drain.clear();
    signs.clear();
  }
  if (!reader.ended && signal.aborted) throw cancelledError(signal);
  for (const event of reader.rest?.() ?? []) yield event;
  if (reader.unknownStop !== null) throw new UnknownStop(target.host, reader.unknownStop);
  if (reader.ended) return;
  if (!reader.begun && !contentType.includes('event-stream')) throw strangeError(contentType, target);
  throw connectionError('stream', undefined, target);
}

function thrownBy<Raw>(error: unknown, { target, failureOf, signal }: Exchange<Raw>): ModelError {
  if (signal.aborted) return cancelledError(signal);
  if (error instanceof ModelError) return error;
  return failureOf(error) ?? connectionError('stream', error, target);
}

/** Size that each part of a response has besides its text, in characters. */
const PART_CHARS = 1000;

/** Measures a response in characters. Each piece of it can be small, and the response still have no end. */
class ResponseSize {
  #chars = 0;

  /** Returns the size with this event. */
  add(event: ModelEvent): number {
    if (event.type === 'delta') this.#chars += event.text.length;
    else if (event.type === 'part') this.#chars += PART_CHARS + sizeOfBlock(event.value);
    return this.#chars;
  }
}

/** Returns the characters of a block of the provider's own tools. Text and arguments came as deltas. */
function sizeOfBlock(part: Part): number {
  return part.type === 'server' ? JSON.stringify(part.block).length : 0;
}

/** Ends what goes on for too long after it is whole. */
class Drain {
  #timer: NodeJS.Timeout | undefined;
  #ms: number | null = null;

  within(ms: number | null, end: () => void): void {
    if (ms === this.#ms) return;
    this.clear();
    this.#ms = ms;
    if (ms !== null) this.#timer = setTimeout(end, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Tells when a burst of events has kept the event loop busy for longer than `BUSY_MS`. */
class Pace {
  #busySince = 0;
  #last = -Infinity;

  begin(): void {
    const now = performance.now();
    // A longer gap means that the stream was waited for, so the loop was free.
    if (now - this.#last > 1) this.#busySince = now;
  }

  end(): boolean {
    const now = performance.now();
    const enough = now - this.#busySince > BUSY_MS;
    this.#last = enough ? -Infinity : now;
    return enough;
  }
}
