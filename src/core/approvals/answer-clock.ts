/** Counts down the time left of open questions while someone could answer, and expires them. */
import type { ApprovalRequest } from '#contract/approval.ts';
import { ANSWERER_GRACE_MS } from '#contract/limits.ts';
import { waitsWithoutEnd } from '#contract/spawn-items.ts';

const TICK_MS = 500;
/** How often the time left is stored. */
const SAVE_MS = 5_000;

interface Ports {
  open(): ApprovalRequest[];
  /** `late`: somebody was there, and did not answer in time; `alone`: nobody was there. */
  expire(id: string, reason: string, cause: 'late' | 'alone'): void;
  save(requests: ApprovalRequest[]): void;
}

export class AnswerClock {
  readonly #ports: Ports;
  #answerers = 0;
  /** Number of attached clients with a person. */
  #persons = 0;
  /** Time at which the last client with a person left, by the monotonic clock; null if none was attached. */
  #leftAt: number | null = null;
  /** For how long nobody who could answer has been attached, in milliseconds. */
  #aloneMs = 0;
  #lastTick = performance.now();
  #lastSave = performance.now();
  #timer: NodeJS.Timeout | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Counts one client that could answer, until the returned function is called. */
  attach(isAttended = true): () => void {
    this.#tick();
    this.#answerers += 1;
    if (isAttended) this.#persons += 1;
    let attached = true;
    return () => {
      if (!attached) return;
      attached = false;
      this.#tick();
      this.#answerers -= 1;
      if (this.#answerers === 0) this.#aloneMs = 0;
      if (!isAttended) return;
      this.#persons -= 1;
      if (this.#persons === 0) this.#leftAt = performance.now();
    };
  }

  /** True while a client with a person is attached, and for a minute after the last one left. */
  get isAttended(): boolean {
    if (this.#persons > 0) return true;
    return this.#leftAt !== null && performance.now() - this.#leftAt < ANSWERER_GRACE_MS;
  }

  /** Call when a question was opened or closed: the clock ticks only while there is one. */
  update(): void {
    if (this.#ports.open().length === 0) return this.close();
    if (this.#timer) return;
    this.#lastTick = performance.now();
    this.#aloneMs = 0;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const now = performance.now();
    // A machine that slept must not wake up to expired questions: one tick counts at most two intervals.
    const elapsed = Math.min(now - this.#lastTick, 2 * TICK_MS);
    this.#lastTick = now;
    if (!this.#timer) return;
    const requests = this.#ports.open();
    if (this.#answerers === 0) {
      this.#aloneMs += elapsed;
      if (this.#aloneMs < ANSWERER_GRACE_MS) return;
      for (const { id } of requests) this.#ports.expire(id, 'Nobody was there to answer', 'alone');
      return;
    }
    for (const request of requests.filter(({ subject }) => !waitsWithoutEnd(subject))) {
      request.remainingMs -= elapsed;
      if (request.remainingMs <= 0) this.#ports.expire(request.id, 'Nobody answered in time', 'late');
    }
    if (now - this.#lastSave < SAVE_MS) return;
    this.#lastSave = now;
    this.#ports.save(requests);
  }
}
