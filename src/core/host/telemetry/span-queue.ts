/** Spans on their way out: bounded, one batch at a time, kept for a while where nobody takes them, counted where they are lost. */
import type { Sent } from './otlp.ts';
import type { Span } from './span.ts';

export interface SpanCounts {
  sent: number;
  waiting: number;
  /** Lost: they were refused, too many waited, or the program ended first. */
  dropped: number;
  /** Why the newest batch was not taken; null where it was. */
  failure: string | null;
}

const MAX_WAITING = 2048;
const MAX_BATCH = 256;
const GATHER_MS = 500;
/** Pauses after one failure, and after many. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];

export class SpanQueue {
  readonly #send: (spans: readonly Span[]) => Promise<Sent>;
  #waiting: Span[] = [];
  #onTheWay: readonly Span[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #pauseMs = 0;
  #sent = 0;
  #dropped = 0;
  #failure: string | null = null;
  #closed = false;

  constructor(send: (spans: readonly Span[]) => Promise<Sent>) {
    this.#send = send;
  }

  get counts(): SpanCounts {
    const waiting = this.#waiting.length + this.#onTheWay.length;
    return { sent: this.#sent, waiting, dropped: this.#dropped, failure: this.#failure };
  }

  /** Never waits. Where too many wait already the oldest ones go. */
  add(spans: readonly Span[]): void {
    if (spans.length === 0) return;
    this.#waiting.push(...spans);
    this.#bound();
    this.#wait(this.#pauseMs || GATHER_MS);
  }

  /** Sends what waits until all is sent, something fails, or the time is up; what is left then is lost. */
  async close(patienceMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer ?? undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), patienceMs)));
    const all = async (): Promise<void> => {
      await this.#sending;
      while (this.#waiting.length > 0 && (await this.#next()));
    };
    await Promise.race([all(), late]);
    clearTimeout(timer);
    this.#dropped += this.#waiting.splice(0).length + this.#onTheWay.length;
    this.#onTheWay = [];
  }

  #bound(): void {
    this.#dropped += this.#waiting.splice(0, Math.max(0, this.#waiting.length - MAX_WAITING)).length;
  }

  #wait(ms: number): void {
    if (this.#timer || this.#sending || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#sending = this.#next().then(() => {
        this.#sending = null;
        if (this.#waiting.length > 0) this.#wait(this.#pauseMs || GATHER_MS);
      });
    }, ms).unref();
  }

  /** False where the batch was not taken, but may be later. */
  async #next(): Promise<boolean> {
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#onTheWay = batch;
    const result = await this.#send(batch);
    // Its time was up.
    if (this.#onTheWay !== batch) return false;
    this.#onTheWay = [];
    this.#failure = result.ok ? null : result.why;
    if (result.ok) this.#sent += batch.length;
    else if (!result.again) this.#dropped += batch.length;
    else {
      this.#waiting.unshift(...batch);
      this.#bound();
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
      return false;
    }
    this.#pauseMs = 0;
    return true;
  }
}
