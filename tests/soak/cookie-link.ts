/** The link of a tab whose cookie was taken elsewhere: a WebSocket outside of a browser. */
import { WebSocket } from 'ws';
import type { ClientFrame, ServerFrame } from '#contract/rpc.ts';
import type { Link } from '#lib/client/link.ts';

export class CookieLink implements Link {
  onopen: Link['onopen'] = null;
  onframe: Link['onframe'] = null;
  onclose: Link['onclose'] = null;
  readonly #socket: WebSocket;

  constructor(port: number, cookie: string) {
    const headers = { cookie, origin: `http://127.0.0.1:${port}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers });
    this.#socket = socket;
    socket.on('open', () => this.onopen?.());
    socket.on('message', (data: Buffer) => this.onframe?.(JSON.parse(data.toString()) as ServerFrame));
    socket.on('error', () => undefined);
    socket.on('close', () => this.onclose?.());
  }

  send(frame: ClientFrame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close();
  }
}
