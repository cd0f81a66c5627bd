/** The way to a Chromium that has opened a port, for `connectOverCDP`: Playwright's own compresses what a page loads. */
import { once } from 'node:events';
import type { ConnectOverCDPTransport } from '@playwright/test';
import { WebSocket } from 'ws';

const MAX_BYTES = 256 * 1024 * 1024;

/** Resolves when it is open. `endpoint`: `ws:` and what Chromium has said. */
export async function cdpTransport(endpoint: string): Promise<ConnectOverCDPTransport> {
  const socket = new WebSocket(endpoint, { perMessageDeflate: false, maxPayload: MAX_BYTES });
  await once(socket, 'open');
  const transport: ConnectOverCDPTransport = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  // Each message is a task of its own: what waits for one goes on before the next.
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as object;
    setImmediate(() => transport.onmessage?.(message));
  });
  socket.on('error', () => undefined);
  socket.on('close', () => setImmediate(() => transport.onclose?.()));
  return transport;
}
