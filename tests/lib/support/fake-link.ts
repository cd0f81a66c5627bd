/** A link whose other side is the test. */
import type { ClientFrame, ServerFrame } from '#contract/frames.ts';
import type { Link } from '#lib/app/client/link.ts';

export class FakeLink implements Link {
  onopen: Link['onopen'] = null;
  onframe: Link['onframe'] = null;
  onclose: Link['onclose'] = null;
  readonly frames: ClientFrame[] = [];
  #open = false;

  send(frame: ClientFrame): void {
    if (this.#open) this.frames.push(frame);
  }

  close(): void {
    this.drop();
  }

  open(): void {
    this.#open = true;
    this.onopen?.();
  }

  drop(): void {
    this.#open = false;
    this.onclose?.(null);
  }

  receive(frame: ServerFrame): void {
    this.onframe?.(frame);
  }
}
