/** The sub-agents of one workflow: their slots, their turn to work, and what a person wants of one before its lead can act. */
import type { SubAgentSummary } from '#contract/event.ts';
import type { RunRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { Semaphore } from '#core/base/semaphore.ts';
import { Slots } from '../budget/slots.ts';
import { orStopped, stopOf } from '#core/base/stop.ts';

export class Roster {
  readonly slots: Slots;
  /** In the order in which they were asked for. */
  readonly #summaries = new Map<string, SubAgentSummary>();
  readonly #maxConcurrent: number;
  readonly #admission: Semaphore;
  /** That work or wait for a slot. */
  #present = 0;
  /** Null where several may work at a time: then who was answered first begins first. */
  readonly #order: SpawnOrder | null;
  /** What ends a sub-agent that was asked for but has not started, by run id. */
  readonly #unstarted = new Map<string, () => void>();
  /** The number of the attempt that each has begun since the workflow lives, by run id. */
  readonly #attempts = new Map<string, number>();
  /** To be tried again as soon as the lead begins. */
  readonly #retries = new Map<string, RunRow>();
  /** Stopped by the person before the lead began. */
  readonly #stopped = new Set<string>();
  /** Tries a sub-agent again beside the lead; null when no lead can be told of it any more. */
  #retry: ((row: RunRow) => boolean) | null = (row) => {
    this.retryLater(row);
    return true;
  };

  /** `taken`: slots that sub-agents of earlier attempts hold. */
  constructor(parts: {
    maxSubAgents: number;
    maxConcurrent: number;
    subAgents: readonly SubAgentSummary[];
    taken: number;
  }) {
    this.slots = new Slots(parts.maxSubAgents, parts.taken);
    this.#maxConcurrent = parts.maxConcurrent;
    this.#admission = new Semaphore(parts.maxConcurrent);
    this.#order = parts.maxConcurrent === 1 ? new SpawnOrder(this.#summaries) : null;
    for (const summary of parts.subAgents) this.add(summary);
  }

  /** In the order in which they were asked for. */
  summaries(): SubAgentSummary[] {
    return [...this.#summaries.values()];
  }

  get(runId: string): SubAgentSummary | undefined {
    return this.#summaries.get(runId);
  }

  add(summary: SubAgentSummary): void {
    this.#summaries.set(summary.runId, summary);
  }

  change(runId: string, change: Partial<SubAgentSummary>): void {
    const before = this.#summaries.get(runId);
    if (before) this.#summaries.set(runId, { ...before, ...change });
    this.#order?.changed();
  }

  /**
   * Waits for its turn to work: `turn` resolves with what ends that turn, or rejects with the signal's reason.
   * `queueDepth`: how many wait for a slot now, this one included; 0 if one is free.
   */
  admit(runId: string, signal: AbortSignal): { queueDepth: number; turn: Promise<() => void> } {
    this.#present += 1;
    return { queueDepth: Math.max(0, this.#present - this.#maxConcurrent), turn: this.#turn(runId, signal) };
  }

  async #turn(runId: string, signal: AbortSignal): Promise<() => void> {
    try {
      await this.#order?.turnOf(runId, signal);
      const leave = await this.#admission.acquire(signal);
      return () => {
        this.#present -= 1;
        leave();
      };
    } catch (error) {
      this.#present -= 1;
      throw error;
    }
  }

  /** Until its start a stop alone ends it, by calling `end`. */
  waits(runId: string, end: () => void): void {
    this.#unstarted.set(runId, () => {
      this.#unstarted.delete(runId);
      end();
    });
  }

  /** It starts, or ends in another way: a stop finds it in the tree of runs from now on. */
  waitsNoMore(runId: string): void {
    this.#unstarted.delete(runId);
  }

  begun(runId: string, attempt: number): void {
    this.#attempts.set(runId, attempt);
  }

  /** Ends a sub-agent that has not started, or leaves it as it was; false where there is none such. */
  stopUnstarted(runId: string): boolean {
    const end = this.#unstarted.get(runId);
    const isWaiting = this.#retries.delete(runId);
    if (end) end();
    else if (isWaiting) this.#stopped.add(runId);
    return end !== undefined || isWaiting;
  }

  retryLater(row: RunRow): void {
    this.#retries.set(row.id, row);
  }

  awaitsRetry(runId: string): boolean {
    return this.#retries.has(runId);
  }

  /**
   * Tries a sub-agent again, at once or when its lead begins; false when the lead cannot be told of it any more. Does
   * not wait, so of all who ask for the same attempt one gets it and the others a `conflict`. `row` may be older than
   * what happened since; `isLive`: it runs now.
   */
  tryAgain(row: RunRow, isLive: boolean): boolean {
    const isBegun = (this.#attempts.get(row.id) ?? 0) > row.attempt;
    if (isBegun || isLive || this.#retries.has(row.id))
      throw new TriadError('conflict', 'This agent is being tried again already');
    if (row.outcome === 'interrupted')
      throw new TriadError('conflict', 'This agent goes on already, with its workflow');
    return this.#retry?.(row) ?? false;
  }

  /** The lead begins: those that a person stopped meanwhile end. */
  endStopped(): void {
    for (const runId of this.#stopped) this.#unstarted.get(runId)?.();
  }

  /** From now on `retry` tries sub-agents again; returns those that have waited for it. */
  serveRetries(retry: (row: RunRow) => boolean): RunRow[] {
    const waiting = [...this.#retries.values()];
    this.#retries.clear();
    this.#retry = retry;
    return waiting;
  }

  /**
   * The lead had ended before, and does not begin again: only its stages go on. Returns those that the person stopped
   * before that.
   */
  endRetries(): ReadonlySet<string> {
    this.#retry = null;
    this.#retries.clear();
    return this.#stopped;
  }

  /** The lead's answer is final: another attempt would work for nobody. */
  refuseRetries(): void {
    this.#retry = null;
  }

  /** The lead has ended: it ends those that have not started itself. */
  leadEnded(): void {
    this.#retry = null;
    this.#unstarted.clear();
  }
}

/** The order of starts if one sub-agent works at a time: the order of the calls, not that of the answers. */
class SpawnOrder {
  /** In the order in which they were asked for. */
  readonly #subAgents: ReadonlyMap<string, SubAgentSummary>;
  #change = Promise.withResolvers<void>();

  constructor(subAgents: ReadonlyMap<string, SubAgentSummary>) {
    this.#subAgents = subAgents;
  }

  /** One has begun, or will not. */
  changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Resolves when all before it have begun or will not; rejects with the signal's reason. */
  async turnOf(runId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw stopOf(signal);
    while (!this.#isNext(runId)) await orStopped(signal, this.#change.promise);
  }

  #isNext(runId: string): boolean {
    for (const { runId: other, status } of this.#subAgents.values()) {
      if (other === runId) return true;
      if (status === 'pending') return false;
    }
    return true;
  }
}
