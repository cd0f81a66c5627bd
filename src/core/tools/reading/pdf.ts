/** The text of a PDF, taken out of it on a thread of its own: parsing would stop the program, and may need too much. */
import { on } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { codeOf, TriadError } from '../../base/errors.ts';
import { compiled } from '../threads.ts';

export const MAX_PDF_BYTES = 50_000_000;
const HEAP_MB = 256;
/** What a thread decodes lies outside of its heap, where no limit of a thread holds it: looked at every `LOOK_MS`. */
const LIMITS = { ms: 20_000, decodedBytes: 400_000_000 };
const LOOK_MS = 100;

/** What the thread sends: its pages in order, and one end. */
export type PdfMessage =
  | { type: 'page'; number: number; of: number; text: string }
  | { type: 'end' }
  | { type: 'failure'; isLocked: boolean; message: string };

export const isPdf = (head: Buffer): boolean => head.toString('latin1').startsWith('%PDF-');

interface Options {
  /** As it is shown. */
  path: string;
  signal: AbortSignal;
  limits?: typeof LIMITS;
}

/**
 * The text in UTF-8, page by page, each below a line that numbers it; whoever has enough leaves, which ends the thread.
 * Throws `bad_input` where it is locked, broken or without text, and `limit_reached` where it takes too much.
 */
export async function* pdfText(handle: FileHandle, options: Options): AsyncGenerator<Buffer> {
  const { path } = options;
  const { size } = await handle.stat();
  if (size > MAX_PDF_BYTES)
    throw new TriadError('bad_input', `${path} has ${size} bytes, and a PDF may have ${MAX_PDF_BYTES}: ${ELSEWHERE}`);
  const bytes = new Uint8Array(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  yield* pdfTextIn(bytes.subarray(0, bytesRead), options);
}

/** The same of what is in memory, which is gone from there afterwards. */
export async function* pdfTextIn(
  bytes: Uint8Array<ArrayBuffer>,
  { path, signal, limits = LIMITS }: Options,
): AsyncGenerator<Buffer> {
  const timeout = AbortSignal.timeout(limits.ms);
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), {
    workerData: bytes,
    transferList: [bytes.buffer],
    env: compiled(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const swollen = new AbortController();
  const look = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ external_memory: decoded }) => decoded > limits.decodedBytes && swollen.abort(),
      () => undefined, // It has ended.
    );
  }, LOOK_MS);
  try {
    const stop = AbortSignal.any([signal, timeout, swollen.signal]);
    const messages = on(worker, 'message', { signal: stop, close: ['exit'] });
    yield* textOf(path, messages as AsyncIterable<[PdfMessage]>);
  } catch (error) {
    signal.throwIfAborted();
    const isLarge = swollen.signal.aborted || codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isLarge && !timeout.aborted) throw error;
    throw new TriadError('limit_reached', `${path} takes too much ${isLarge ? 'memory' : 'time'}: ${ELSEWHERE}`);
  } finally {
    clearInterval(look);
    await worker.terminate();
  }
}

const ELSEWHERE = 'split it, or make a text of it with another program (such as pdftotext)';

async function* textOf(path: string, messages: AsyncIterable<[PdfMessage]>): AsyncGenerator<Buffer> {
  // Pages without text, until one has some.
  let empty = '';
  let hasText = false;
  for await (const [message] of messages) {
    if (message.type === 'failure') throw failureOf(path, message);
    if (message.type === 'end') {
      if (hasText) return;
      throw new TriadError('bad_input', `${path} has no text, only images (perhaps it was scanned): ${AS_IMAGES}`);
    }
    const { number, of, text } = message;
    const mark = `[Page ${number} of ${of}${text === '' ? ', without text' : ''}]\n`;
    hasText ||= text !== '';
    if (!hasText) empty += mark;
    else {
      yield Buffer.from(`${empty}${mark}${text === '' ? '' : `${text}\n`}`);
      empty = '';
    }
  }
  throw new TriadError('internal', `The thread that reads ${path} ended unexpectedly`);
}

const AS_IMAGES = 'make images of its pages (such as pdftoppm -png) and read those, or have its text recognised';

function failureOf(path: string, { isLocked, message }: Extract<PdfMessage, { type: 'failure' }>): TriadError {
  if (isLocked) return new TriadError('bad_input', `${path} is locked by a password: make a copy of it without one`);
  return new TriadError('bad_input', `${path} is a broken PDF (${message}): make it again, or repair it`);
}
