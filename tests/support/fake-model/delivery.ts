/** Sends one response: at once where nothing delays or breaks it, else event by event on schedule. */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { ReplyOptions } from './script.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Chunk } from './stream.ts';

export interface Latency {
  firstTokenMs: number;
  deltaMs: number;
}

/**
 * Resolves with whether the client was sent a whole response; `signal` aborts when the client goes away. `begun`: called
 * when its first event is sent.
 */
export async function deliver(
  response: ServerResponse,
  chunks: Chunk[],
  options: ReplyOptions,
  latency: Latency,
  signal: AbortSignal,
  begun: () => void,
  dialect: Dialect,
): Promise<boolean> {
  const firstTokenMs = options.firstTokenMs ?? latency.firstTokenMs;
  const faulty = hasFault(options);
  if (!faulty && firstTokenMs === 0 && chunks.every((chunk) => chunk.delayMs === 0)) {
    sendHead(response, options);
    begun();
    response.end(chunks.map((chunk) => chunk.data).join(''));
    return true;
  }
  try {
    return await onSchedule(response, chunks, options, firstTokenMs, signal, begun, dialect);
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

async function onSchedule(
  response: ServerResponse,
  chunks: Chunk[],
  options: ReplyOptions,
  firstTokenMs: number,
  signal: AbortSignal,
  begun: () => void,
  dialect: Dialect,
): Promise<boolean> {
  if (firstTokenMs > 0) await wait(firstTokenMs, undefined, { signal });
  await hold(0, options, signal);
  if (options.hangAfter === 0) await untilGone(signal);
  if (options.cutAfter === 0) return cut(response);
  sendHead(response, options);
  let pending = '';
  const flush = (): void => {
    if (pending === '') return;
    begun();
    response.write(pending);
    pending = '';
  };
  let due = performance.now();
  let first = true;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.delayMs > 0) {
      due += first ? 0 : chunk.delayMs;
      first = false;
      const left = due - performance.now();
      if (left > 0) {
        flush();
        await wait(left, undefined, { signal });
      }
    }
    pending += chunk.data;
    const sent = index + 1;
    if (!isTurningPoint(sent, options)) continue;
    flush();
    await hold(sent, options, signal);
    if (options.garbage?.after === sent) pending += options.garbage.text;
    if (options.hangAfter === sent) await untilGone(signal);
    if (options.cutAfter === sent) return cut(response);
    if (options.errorEvent?.after === sent) {
      const { type, message } = options.errorEvent;
      response.end(dialect.errorEvent(type, message));
      return false;
    }
    if (options.endAfter === sent) {
      response.end();
      return false;
    }
  }
  begun();
  response.end(pending);
  return true;
}

function hasFault(options: ReplyOptions): boolean {
  const { cutAfter, endAfter, hangAfter, hold: held, errorEvent, garbage } = options;
  return [cutAfter, endAfter, hangAfter, held, errorEvent, garbage].some((fault) => fault !== undefined);
}

function isTurningPoint(sent: number, options: ReplyOptions): boolean {
  const { cutAfter, endAfter, hangAfter, hold: held, errorEvent, garbage } = options;
  return [cutAfter, endAfter, hangAfter, held && (held.after ?? 0), errorEvent?.after, garbage?.after].includes(sent);
}

async function hold(sent: number, { hold: held }: ReplyOptions, signal: AbortSignal): Promise<void> {
  if (!held || (held.after ?? 0) !== sent) return;
  const gone = new AbortController();
  try {
    await Promise.race([held.until(), untilGone(AbortSignal.any([signal, gone.signal]))]);
  } finally {
    gone.abort();
  }
}

/** Rejects when the signal aborts. */
async function untilGone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const gone = (): void => reject(new Error('the client is gone', { cause: signal.reason }));
    if (signal.aborted) gone();
    else signal.addEventListener('abort', gone, { once: true });
  });
}

/** Breaks the connection after what was written has left. */
async function cut(response: ServerResponse): Promise<boolean> {
  if (response.headersSent) await new Promise<void>((resolve) => response.write(': cut\n', () => resolve()));
  response.destroy();
  return false;
}

function sendHead(response: ServerResponse, { headers }: ReplyOptions): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': 'req_fake',
    ...headers,
  });
}
