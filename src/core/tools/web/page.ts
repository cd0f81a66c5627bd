/** The text of what an address gave, made on a thread of its own: parsing would stop the program, and may need too much. */
import { once } from 'node:events';
import { codeOf, TriadError } from '../../base/errors.ts';
import { Threads } from '../threads.ts';

const LIMITS = { ms: 15_000, heapMb: 384 };

const threadsOf = (heapMb: number): Threads => new Threads(() => new URL('./page-worker.ts', import.meta.url), heapMb);
const usual = threadsOf(LIMITS.heapMb);

/** What the thread is given. */
export interface PageTask {
  bytes: Uint8Array<ArrayBuffer>;
  /** As its sender names it; null where it does not. */
  charset: string | null;
  isHtml: boolean;
  /** Where it is from: links are relative to this. */
  url: string;
}

export interface PageText {
  /** Of HTML in Markdown; any other as it is. */
  text: string;
  title: string | null;
  /** As the page says, such as `en-GB`. */
  language: string | null;
  /** What of the page the text is; null where it is no page. */
  part: 'main' | 'whole' | null;
}

/** What the thread sends, once. */
export type PageMessage = ({ type: 'text' } & PageText) | { type: 'binary' } | { type: 'failure'; message: string };

/** Null where it is no text. The bytes are gone afterwards. Throws `limit_reached` where it takes too much, `bad_input` where it cannot be parsed. */
export async function pageText(task: PageTask, signal: AbortSignal, limits = LIMITS): Promise<PageText | null> {
  const timeout = AbortSignal.timeout(limits.ms);
  const threads = limits.heapMb === LIMITS.heapMb ? usual : threadsOf(limits.heapMb);
  const worker = threads.take();
  let isDone = false;
  try {
    worker.postMessage(task, [task.bytes.buffer]);
    const [message] = (await once(worker, 'message', { signal: AbortSignal.any([signal, timeout]) })) as [PageMessage];
    if (message.type === 'failure')
      throw new TriadError('bad_input', `${task.url} is a page that cannot be parsed (${message.message})`);
    isDone = true;
    if (message.type === 'binary') return null;
    const { type: _, ...text } = message;
    return text;
  } catch (error) {
    signal.throwIfAborted();
    const isLarge = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isLarge && !timeout.aborted) throw error;
    const what = isLarge ? 'memory' : 'time';
    throw new TriadError('limit_reached', `${task.url} is a page that takes too much ${what} to parse`);
  } finally {
    if (isDone) threads.keep(worker);
    else await worker.terminate();
  }
}
