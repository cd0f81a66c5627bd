/** Where the browser comes back to after a sign-in: an address of this machine that nobody can guess, for one answer. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from '../../base/http.ts';
import { TriadError } from '../../base/errors.ts';
import { stopOf } from '../../base/stop.ts';

interface Answer {
  readonly params: URLSearchParams;
  /** Tells the person in the browser what came of it, and closes the address. */
  say(sentence: string): void;
}

export interface Callback {
  readonly redirectUrl: string;
  /** What the answer must bring back. */
  readonly state: string;
  /** Rejects with the signal's reason. */
  readonly answer: Promise<Answer>;
}

/** No scripts, no other site's frames, nothing from a cache. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

/** Open until the answer is said or the signal aborts; does not keep the process alive. */
export async function openCallback(signal: AbortSignal): Promise<Callback> {
  const [path, state] = [`/${randomBytes(16).toString('base64url')}`, randomBytes(32).toString('base64url')];
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
  // Each reader is told; whoever began may have gone.
  answer.catch(() => undefined);
  let isAnswered = false;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (request.method !== 'GET' || url?.pathname !== path) return page(response, 404, 'There is nothing here.');
    // The state has so many bits that the time of comparing says nothing.
    if (url.searchParams.getAll('state').join() !== state)
      return page(response, 400, 'This is no answer to the sign-in that was begun: nothing was changed.');
    if (isAnswered) return page(response, 400, 'This sign-in was answered before.');
    isAnswered = true;
    resolve({
      params: url.searchParams,
      say: (sentence) => {
        // What ends the sign-in must not cut off the page that tells of it.
        signal.removeEventListener('abort', close);
        page(response, 200, sentence);
        server.close();
      },
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const close = (): void => {
    reject(stopOf(signal));
    server.close();
    server.closeAllConnections();
  };
  signal.addEventListener('abort', close, { once: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TriadError('internal', 'The sign-in has no port');
  if (signal.aborted) {
    close();
    throw stopOf(signal);
  }
  return { redirectUrl: `http://127.0.0.1:${address.port}${path}`, state, answer };
}

function page(response: ServerResponse<IncomingMessage>, status: number, sentence: string): void {
  const text = sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  response.writeHead(status, HEADERS);
  response.end(`<!doctype html><html lang="en"><title>Triad</title><h1>Triad</h1><p>${text}</p></html>\n`);
}
