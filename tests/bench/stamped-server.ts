/** Answers any request with a stream whose deltas are stamped as they are written: in one burst, or at a pace. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { sse, startOf } from '../support/fake-model/stream.ts';
import { clock } from './clock.ts';
import { markdown } from './markdown.ts';
import { stamped } from './stamps.ts';

export interface StampedServer {
  url: string;
  close: () => Promise<void>;
}

/** The words that ask for so many deltas; without a pace, as fast as they are taken. */
export function promptFor(count: number, perSecond: number): string {
  return `stream ${count} at ${perSecond}`;
}

/** The words that ask for so many bytes of Markdown at a pace. */
export function markdownPrompt(bytes: number, perSecond: number): string {
  return `markdown ${bytes} at ${perSecond}`;
}

/** A blank line after so many deltas, as in any text. */
const PARAGRAPH = 40;

export async function startStampedServer(): Promise<StampedServer> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // An address object, as the server listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // The newest message counts.
  const asked = [...(await text(request)).matchAll(/(stream|markdown) (\d+) at (\d+)/g)].at(-1);
  if (!asked) return void response.writeHead(400).end();
  const [, kind, size, pace] = asked;
  const perSecond = Number(pace);
  const pieces = kind === 'markdown' ? (markdown(Number(size)).match(/[^]{1,12}/g) ?? []) : null;
  const count = pieces?.length ?? Number(size);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(startOf('msg_stamped', 'model', {}));
  response.write(sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }));
  const start = clock();
  for (let index = 0; index < count; index += 1) {
    if (perSecond > 0) {
      const left = start + (index * 1000) / perSecond - clock();
      if (left > 0) await wait(left);
    }
    const gap = index % PARAGRAPH === PARAGRAPH - 1 ? '\n\n' : '';
    const delta = { type: 'text_delta', text: pieces?.[index] ?? stamped(index) + gap };
    if (!response.write(sse('content_block_delta', { index: 0, delta }))) await once(response, 'drain');
  }
  const usage = { input_tokens: 100, output_tokens: count };
  response.write(sse('content_block_stop', { index: 0 }));
  response.write(sse('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }));
  response.end(sse('message_stop', {}));
}
