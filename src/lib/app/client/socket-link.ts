/** The link of a tab: one WebSocket to the host that served the page, open once that let this browser in. */
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';
import type { Link } from './link.ts';
import type { Visitor } from './visitor.ts';

export class SocketLink implements Link {
  onopen: Link['onopen'] = null;
  onframe: Link['onframe'] = null;
  onclose: Link['onclose'] = null;
  readonly #socket: WebSocket;
  #inside = false;

  /** `socket` is new: no frame of it was read. */
  constructor(socket: WebSocket, visitor: Visitor) {
    this.#socket = socket;
    void visitor.enter(socket).then((entry) => {
      if (!entry.admitted) return this.onclose?.(entry.refusal);
      if (socket.readyState !== socket.OPEN) return this.onclose?.(null);
      this.#inside = true;
      socket.onmessage = ({ data }) => this.onframe?.(JSON.parse(String(data)) as ServerFrame);
      // A close follows every error. One who was sent away hears why at the next try.
      socket.onclose = () => this.onclose?.(null);
      this.onopen?.();
    });
  }

  send(frame: ClientFrame): void {
    if (this.#inside && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    this.#socket.close();
  }
}
