/**
 * Whether the person is here: keyboard or pointer in any window of the app a short while ago, and no other program in
 * front since. A window in front alone proves nothing. The windows of a browser tell each other.
 */

/** What windows tell each other; a `BroadcastChannel` is one. */
export interface Windows {
  postMessage(seen: number | null): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

/** Others are told at most so often, in milliseconds. */
const TOLD_EVERY_MS = 1000;

const INPUTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

export class Presence {
  /** Of the last input, in epoch milliseconds; null: none, or the person has gone to another program. */
  #seen: number | null = null;
  #told = -Infinity;
  #pointer = '';
  readonly #windows: Windows;
  readonly #now: () => number;

  constructor(windows: Windows, now: () => number = Date.now) {
    this.#windows = windows;
    this.#now = now;
    windows.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (data === null || typeof data === 'number') this.#seen = data;
    };
  }

  /** Something was pressed, pointed at or scrolled here. */
  input(): void {
    const now = this.#now();
    this.#seen = now;
    if (now - this.#told < TOLD_EVERY_MS) return;
    this.#told = now;
    this.#windows.postMessage(now);
  }

  /** The person has turned to another window, maybe to one of ours: its input comes after this. */
  left(): void {
    this.#seen = null;
    this.#told = -Infinity;
    this.#windows.postMessage(null);
  }

  isHere(awaySeconds: number): boolean {
    return this.#seen !== null && this.#now() - this.#seen < awaySeconds * 1000;
  }

  /** Follows what comes to a window; returns how that ends. `onInput`: also told of it. */
  watch(window: Window, onInput: () => void): () => void {
    const heard = (event: Event): void => {
      if (!event.isTrusted || this.#isStill(event)) return;
      this.input();
      onInput();
    };
    const gone = (): void => this.left();
    const options = { capture: true, passive: true };
    for (const type of INPUTS) window.addEventListener(type, heard, options);
    window.addEventListener('blur', gone);
    return () => {
      for (const type of INPUTS) window.removeEventListener(type, heard, options);
      window.removeEventListener('blur', gone);
      this.#windows.close();
    };
  }

  /** A page that moves under a pointer at rest is told of moves, too. */
  #isStill(event: Event): boolean {
    if (!(event instanceof PointerEvent) || event.type !== 'pointermove') return false;
    const at = `${event.screenX} ${event.screenY}`;
    const isStill = at === this.#pointer || this.#pointer === '';
    this.#pointer = at;
    return isStill;
  }
}
