/** The connection of one attempt at a request, which ends early where no answer can be expected of it. */
import { SHOW_SILENCE_MS } from '#contract/limits.ts';
import type { MachineSleep } from '../base/machine-sleep.ts';
import type { Watchdog } from '../base/watchdog.ts';
import { ASLEEP, ModelError, TRIED_NOW } from './model.ts';
import type { Listeners } from '../base/listeners.ts';

/** Longest silence of a connection from before a sleep of the machine, in milliseconds. */
export const WAKING_SILENCE_MS = 30_000;
/** Time between two reports of the same silence, in milliseconds. */
const REPORT_MS = 10_000;

export interface ConnectionOptions {
  machine: MachineSleep;
  tryNow: Listeners;
  /** Makes the watchdog that ends an attempt after the inactivity limit. Left out: no limit. */
  watch?: ((onSilence: () => void) => Watchdog) | undefined;
  /** Called after 30 s without a sign of life, and every 10 s from then on; `ms`: the length of the silence. */
  onSilent?: ((ms: number) => void) | undefined;
}

export class AttemptConnection {
  /** Aborts with the request, and when the connection is given up. */
  readonly signal: AbortSignal;
  readonly #stop: AbortSignal;
  readonly #dead = new AbortController();
  readonly #options: ConnectionOptions;
  readonly #watchdog: Watchdog | undefined;
  readonly #forgetSleep: () => void;
  #forgetTryNow: (() => void) | null = null;
  #wakingTimer: NodeJS.Timeout | undefined;
  #reportTimer: NodeJS.Timeout | undefined;
  #lastSign = performance.now();

  constructor(stop: AbortSignal, options: ConnectionOptions) {
    this.#stop = stop;
    this.#options = options;
    this.signal = AbortSignal.any([stop, this.#dead.signal]);
    this.#watchdog = options.watch?.(() => this.#giveUp('inactive', 'The endpoint sent nothing for too long'));
    this.#forgetSleep = options.machine.onWake(() => {
      clearTimeout(this.#wakingTimer);
      const giveUp = () =>
        this.#giveUp('unreachable', 'The connection did not outlive the sleep of this machine', ASLEEP);
      this.#wakingTimer = setTimeout(giveUp, WAKING_SILENCE_MS).unref();
    });
    this.#reportTimer = setTimeout(() => this.#reportSilence(), SHOW_SILENCE_MS).unref();
  }

  /** Call for each sign of life. */
  feed(): void {
    this.#lastSign = performance.now();
    this.#watchdog?.feed();
    clearTimeout(this.#wakingTimer);
    if (this.#forgetTryNow === null) return;
    this.#forgetTryNow();
    this.#forgetTryNow = null;
  }

  /** Returns the error of an attempt that threw: the reason why the connection was given up, else what was thrown. */
  failure(thrown: unknown): unknown {
    return this.#dead.signal.aborted && !this.#stop.aborted ? this.#dead.signal.reason : thrown;
  }

  end(): void {
    clearTimeout(this.#wakingTimer);
    clearTimeout(this.#reportTimer);
    this.#watchdog?.stop();
    this.#forgetSleep();
    this.#forgetTryNow?.();
  }

  #giveUp(code: 'inactive' | 'unreachable', message: string, detail?: string): void {
    this.#dead.abort(new ModelError(code, message, { retryable: true, ...(detail === undefined ? {} : { detail }) }));
  }

  /** Reports a silence, and lets the person send the request again while it lasts. */
  #reportSilence(): void {
    const silentMs = performance.now() - this.#lastSign;
    const isSilent = silentMs >= SHOW_SILENCE_MS;
    if (isSilent) {
      this.#forgetTryNow ??= this.#options.tryNow.listen(() =>
        this.#giveUp('inactive', 'The person sent the request again', TRIED_NOW),
      );
      this.#options.onSilent?.(silentMs);
    }
    const next = isSilent ? REPORT_MS : SHOW_SILENCE_MS - silentMs;
    this.#reportTimer = setTimeout(() => this.#reportSilence(), next).unref();
  }
}
