/** The thread of pages, one after the other: makes text of its bytes, and Markdown of HTML. */
import { parentPort } from 'node:worker_threads';
import { decoded } from '../reading/encoding.ts';
import type { PageMessage, PageTask } from './page.ts';

/** Where the encoding of HTML must be named, in bytes. */
const META_BYTES = 1024;

parentPort?.on('message', (task: PageTask) => void answer(task));

async function answer(task: PageTask): Promise<void> {
  try {
    parentPort?.postMessage(await read(task));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    parentPort?.postMessage({ type: 'failure', message } satisfies PageMessage);
  }
}

async function read({ bytes, charset, isHtml, url }: PageTask): Promise<PageMessage> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = decoded(whole, charset ?? (isHtml ? charsetIn(whole) : null));
  if (text === null) return { type: 'binary' };
  if (!isHtml) return { type: 'text', text, title: null, language: null, part: null };
  const { readable } = await import('./readable.ts');
  return { type: 'text', ...readable(text, url) };
}

function charsetIn(html: Buffer): string | null {
  const head = html.toString('latin1', 0, META_BYTES);
  const name = /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ?? null;
  // Who could read this name knows that it is not that.
  return name !== null && /^utf-?16/i.test(name) ? 'utf-8' : name;
}
