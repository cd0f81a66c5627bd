/** Bounds the responses of an endpoint, and reads the bodies of its errors: a server may send them without end, and in any form. */
import { MAX_MESSAGE_BYTES } from '#contract/limits.ts';
import { boundBody, type Meter } from '../base/bounded-body.ts';
import { ModelError } from './model.ts';

/** More than any error, in bytes; what comes after it is not read. */
const MAX_BYTES = 64 * 1024;
/** How long the rest of an error may take, in milliseconds. */
const PATIENCE_MS = 5000;

/**
 * Returns the same `fetch` with bounded responses. The SDKs get the beginning of an error, in the form `{error}`. A longer
 * event or body of another response fails with a `ModelError` that no retry follows.
 */
export function withResponseBounds(ask: typeof fetch): typeof fetch {
  return async (address, init) => {
    const response = await ask(address, init);
    const { host } = new URL(address instanceof Request ? address.url : address);
    const meter = new SizeMeter(signsOfLife.getStore());
    if (response.ok) return boundBody(response, meter, () => createExcessError(host, 'piece'));
    return Object.defineProperty(response, 'text', { value: async () => inForm(await startOf(response)) });
  };
}

const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');

/**
 * Calls a function for each piece of a response, which the SDKs cannot pass on to `fetch`. A connection refers to the
 * context of the request that opened it as long as it is open. So the function is cleared when its request has ended.
 */
export class SignListener {
  #onSign: (() => void) | undefined;

  constructor(onSign: (() => void) | undefined) {
    this.#onSign = onSign;
  }

  /** Runs `open`, whose responses are those that are listened to. */
  during<T>(open: () => T): T {
    return signsOfLife.run(this, open);
  }

  report(): void {
    this.#onSign?.();
  }

  clear(): void {
    this.#onSign = undefined;
  }
}

const signsOfLife = new AsyncLocalStorage<SignListener>();

class SizeMeter implements Meter {
  readonly #listener: SignListener | undefined;
  #bytes = 0;

  constructor(listener: SignListener | undefined) {
    this.#listener = listener;
  }

  add(bytes: Uint8Array): string | null {
    this.#bytes += bytes.length;
    this.#listener?.report();
    return this.#bytes > MAX_MESSAGE_BYTES ? 'piece' : null;
  }

  reset(): void {
    this.#bytes = 0;
  }
}

/** Returns the error for an event or body (`piece`), or for all events of a response, that are too large. */
export function createExcessError(host: string, unit: 'piece' | 'response'): ModelError {
  const size = `more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB in one ${unit}`;
  const message = `${host} sent ${size}, which is the limit: check the server, or choose another model`;
  return new ModelError('provider', message, { retryable: false });
}

/** The beginning of the body, also where the connection breaks in it. */
async function startOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return '';
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), PATIENCE_MS);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < MAX_BYTES) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done || !value) break;
      chunks.push(value);
      size += value.length;
    }
  } catch {
    // What came is enough for the status that came with it.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
}

/** Returns a body as JSON of the form `{error}`, which the SDKs read; a body without a sentence stays unchanged. */
function inForm(text: string): string {
  const body = parseJson(text);
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const { error, ...rest } = Object(typeof first === 'string' ? {} : first) as Record<string, unknown>;
  const hasError = typeof error === 'object' && sentenceIn(error) !== null;
  if (hasError) return first === body ? text : JSON.stringify({ error });
  const message = sentenceInText(text);
  return message === null ? text : JSON.stringify({ error: { ...rest, message } });
}

/** The title of a page is in its first characters. */
const MAX_HEAD_CHARS = 4096;

/** Returns the sentence in the text of an error: in its JSON, in the title of its page, or the text itself. */
export function sentenceInText(text: string): string | null {
  const body = parseJson(text);
  if (body !== undefined) return sentenceIn(body);
  if (/^\s*</.test(text)) return sentenceIn(/<title[^<>]*>([^<]+)</i.exec(text.slice(0, MAX_HEAD_CHARS))?.[1]);
  return sentenceIn(text);
}

/** Fields of an error that contain its sentence, the most telling first. */
const FIELDS = ['message', 'detail', 'msg', 'error', 'errors', 'error_description', 'title'] as const;
/** How deep fields and lists are followed. */
const MAX_DEPTH = 5;
/** Most entries of a list of errors that are read. */
const MAX_ENTRIES = 3;

/** Returns the sentence in the value of an error, whatever its shape; null if it contains none. */
export function sentenceIn(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const sentences = value.slice(0, MAX_ENTRIES).map((one) => sentenceIn(one, depth + 1));
    return sentences.filter((sentence) => sentence !== null).join('; ') || null;
  }
  const fields = value as Record<string, unknown>;
  for (const name of FIELDS) {
    const sentence = Object.hasOwn(fields, name) ? sentenceIn(fields[name], depth + 1) : null;
    if (sentence !== null) return sentence;
  }
  return null;
}

/** Returns undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
