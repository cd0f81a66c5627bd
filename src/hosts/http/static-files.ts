/** Answers a request over HTTP with a file of the built web client. */
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { webFile } from '#core/host/ownership/site/web-file.ts';

/** `root` is canonical. */
export async function serveFile(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await webFile(root, request.url ?? '/');
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body);
  else await pipeline(createReadStream(body.path), response);
}
