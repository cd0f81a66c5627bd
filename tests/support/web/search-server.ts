/** A search of the web on this machine, over real HTTP. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SearchAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Text as it is, anything else as JSON. */
  body: unknown;
}

/**
 * `settings`: the TOML that names it, open at its end for more keys of `[web.search]`; `answer`: what it says from now on,
 * which may be changed.
 */
export async function searchServer(answer: SearchAnswer) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const { status = 200, headers = {}, body } = answer;
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/search?format=json&q={query}`;
  return { host, url, asked, answer, settings: `[web.search]\nurl = "${url}"\n` };
}
