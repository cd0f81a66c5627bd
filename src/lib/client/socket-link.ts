/** The link of a tab: one WebSocket to the host that served the page. */
import type { ClientFrame, ServerFrame } from '#contract/rpc.ts';
import type { Link } from './link.ts';

export class SocketLink implements Link {
  onopen: Link['onopen'] = null;
  onframe: Link['onframe'] = null;
  onclose: Link['onclose'] = null;
  readonly #socket: WebSocket;

  constructor(url: URL) {
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.onopen = () => this.onopen?.();
    socket.onmessage = ({ data }) => this.onframe?.(JSON.parse(String(data)) as ServerFrame);
    // A close follows every error.
    socket.onclose = () => this.onclose?.();
  }

  send(frame: ClientFrame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close();
  }
}
