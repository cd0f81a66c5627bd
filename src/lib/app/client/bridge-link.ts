/** The link of a desktop window: the two functions that its shell put on `window`. */
import type { Bridge, ClientFrame, ServerFrame } from '#contract/frames.ts';
import type { Link } from './link.ts';

export class BridgeLink implements Link {
  onopen: Link['onopen'] = null;
  onframe: Link['onframe'] = null;
  onclose: Link['onclose'] = null;
  readonly #bridge: Bridge;
  readonly #unsubscribes = new Map<number, () => void>();
  #open = false;
  #closed = false;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    // The shell replies once its runtime is ready: that reply counts as the opening of the link.
    bridge.request('app.state', {}).then(
      () => {
        if (this.#closed) return;
        this.#open = true;
        this.onopen?.();
      },
      () => this.close(),
    );
  }

  send(frame: ClientFrame): void {
    if (!this.#open) return;
    const { id } = frame;
    if (frame.kind === 'unsubscribe') {
      this.#unsubscribes.get(id)?.();
      this.#unsubscribes.delete(id);
    } else if (frame.kind === 'request') {
      this.#bridge.request(frame.method, plain(frame.input)).then(
        (reply) => this.#receive({ kind: 'reply', id, reply }),
        () => this.close(),
      );
    } else {
      const end = this.#bridge.subscribe(frame.topic, plain(frame.input), (message) => {
        if (message === null) this.close();
        else if ('events' in message) this.#receive({ kind: 'events', id, events: message.events });
        else this.#receive({ kind: 'reply', id, reply: message });
      });
      this.#unsubscribes.set(id, end);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#open = false;
    for (const end of this.#unsubscribes.values()) end();
    this.#unsubscribes.clear();
    this.onclose?.(null);
  }

  #receive(frame: ServerFrame): void {
    if (this.#open) this.onframe?.(frame);
  }
}

/** A JSON copy: the bridge copies plain data only, and reactive proxies are not. */
function plain(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input)) as unknown;
}
