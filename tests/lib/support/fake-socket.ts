/** A WebSocket whose other side is the test. */
import type { ClientFrame, ServerFrame } from '#contract/rpc.ts';
import type { Socket } from '#lib/client/connection.ts';

export class FakeSocket implements Socket {
  readyState: number = WebSocket.CONNECTING;
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  onerror: Socket['onerror'] = null;
  readonly frames: ClientFrame[] = [];

  send(data: string): void {
    this.frames.push(JSON.parse(data) as ClientFrame);
  }

  close(): void {
    this.drop();
  }

  open(): void {
    this.readyState = WebSocket.OPEN;
    this.#call(this.onopen, new Event('open'));
  }

  drop(): void {
    this.readyState = WebSocket.CLOSED;
    this.#call(this.onclose, new Event('close'));
  }

  receive(frame: ServerFrame): void {
    this.#call(this.onmessage, new MessageEvent('message', { data: JSON.stringify(frame) }));
  }

  /** The handlers do not use `this`. */
  #call(handler: unknown, event: Event): void {
    if (typeof handler === 'function') Reflect.apply(handler, null, [event]);
  }
}
