/** The only writer of events: numbers them, stores them in batches, then publishes them in order. */
import type { AgentEvent, DurableEvent, EventDraft, HintEvent } from '#contract/event.ts';
import type { RowChange } from '#contract/rows.ts';
import type { ConversationRow } from '#contract/view.ts';
import { TriadError } from '#core/base/errors.ts';
import { DiskFull } from '../disk-space.ts';
import type { CommitItem, ExistingRowChange, Store } from '../store.ts';
import { unwritten } from '../unwritten.ts';
import { RunChains } from './run-chains.ts';

/** A row without an event: whole, or a change of an existing one. */
export type SavedRow = RowChange | ExistingRowChange;

type Listener = (event: AgentEvent) => void;

type Item =
  | {
      kind: 'event';
      event: DurableEvent;
      resolve: (event: DurableEvent) => void;
      reject: (error: unknown) => void;
    }
  | { kind: 'rows'; rows: readonly SavedRow[]; resolve: () => void; reject: (error: unknown) => void }
  | { kind: 'hint'; event: HintEvent }
  | { kind: 'task'; run: () => Promise<void> };

/** Most items of one transaction; the rest waits for the next one. */
const GROUP_SIZE = 256;

/** Delay, in milliseconds, in which low-priority events are batched: a transaction costs more than its rows. */
const GATHER_MS = 4;
const LOW_PRIORITY: ReadonlySet<DurableEvent['type']> = new Set<DurableEvent['type']>([
  ...(['turn-start', 'turn-end', 'message-start', 'usage', 'tool-end'] as const),
  ...(['retry', 'notice'] as const),
]);

export interface EventLogOptions {
  groupSize?: number | undefined;
  /** Called when events begin to wait for space on the disk, and when they are stored again. */
  onDiskFull?: () => void;
}

/** Delay, in milliseconds, after which a commit is tried again when the disk was full. */
const RETRY_MS = 500;

export class EventLog {
  readonly chains = new RunChains();
  readonly #store: Store;
  readonly #onFailure: (error: TriadError) => void;
  readonly #lastSeq = new Map<string, number>();
  readonly #published = new Map<string, number>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #everything = new Set<Listener>();
  readonly #groupSize: number;
  #queue: Item[] = [];
  #draining: Promise<void> | null = null;
  /** Ends the delay early; null when no batch is being gathered. */
  #stopGathering: (() => void) | null = null;
  #failure: TriadError | null = null;
  readonly #onDiskFull: () => void;
  #diskFull: DiskFull | null = null;
  /** Ends the wait for space early; null when nothing waits. */
  #retry: (() => void) | null = null;

  /** Calls `onFailure` once, with `store_failed`, when a commit fails; nothing is stored or published after that. */
  constructor(
    store: Store,
    onFailure: (error: TriadError) => void,
    { groupSize = GROUP_SIZE, onDiskFull = () => undefined }: EventLogOptions = {},
  ) {
    this.#store = store;
    this.#onFailure = onFailure;
    this.#groupSize = groupSize;
    this.#onDiskFull = onDiskFull;
  }

  /** The reason why events wait; null while they are stored as usual. */
  get diskFull(): DiskFull | null {
    return this.#diskFull;
  }

  /** Throws `DiskFull` if a commit would be rejected now. New work calls it first, because it would only wait. */
  refuseFullDisk(): void {
    const error = this.#store.diskFull();
    if (error) throw error;
  }

  /** Rejects the events that wait for space on the disk, as if their commit had failed. */
  stopWaiting(): void {
    if (!this.#diskFull) return;
    const message = 'The program ended while the disk was full. Interrupted work can be resumed after the next start';
    this.fail(new TriadError('store_failed', message, { cause: this.#diskFull }));
    this.#retry?.();
  }

  /** Stores the row of a new conversation and opens it: it has no events to be looked for. Rejects with `store_failed`. */
  async begin(row: ConversationRow): Promise<void> {
    await this.save([{ table: 'conversation', key: row.id, row }]);
    this.#lastSeq.set(row.id, 0);
    this.#published.set(row.id, 0);
  }

  /** Loads the last event number of a conversation. Required before `append`. */
  async open(conversationId: string): Promise<void> {
    if (this.#lastSeq.has(conversationId)) return;
    const seq = await this.#store.lastSeq(conversationId);
    if (this.#lastSeq.has(conversationId)) return;
    this.#lastSeq.set(conversationId, seq);
    this.#published.set(conversationId, seq);
  }

  /** Before an event of a run that this process may not have worked on: whom it stands below must be known then. */
  async knowRun(runId: string): Promise<void> {
    if (this.chains.of(runId) !== undefined) return;
    const run = await this.#store.run(runId);
    if (run) this.chains.keep(runId, run.parentChain);
  }

  /** Whether this opened conversation has no events yet. */
  isEmpty(conversationId: string): boolean {
    return this.#lastSeq.get(conversationId) === 0;
  }

  /**
   * Assigns the next number; resolves once stored and published. Throws `internal` unless opened; rejects with
   * `store_failed`.
   */
  append(draft: EventDraft): Promise<DurableEvent> {
    const last = this.#lastSeq.get(draft.conversationId);
    if (last === undefined)
      throw new TriadError('internal', `The conversation ${draft.conversationId} is not open for writing`);
    if (this.#failure) return Promise.reject(this.#failure);
    const event: DurableEvent = { ...draft, seq: last + 1 };
    this.#lastSeq.set(draft.conversationId, event.seq);
    return new Promise((resolve, reject) => this.#push({ kind: 'event', event, resolve, reject }));
  }

  /** Publishes a hint in order with the events around it; never stores it. */
  hint(event: HintEvent): void {
    if (this.#draining || this.#queue.length > 0) this.#push({ kind: 'hint', event });
    else this.#publish(event);
  }

  /** Stores rows without an event (checkpoints, clocks), in order with the events. Rejects with `store_failed`. */
  save(rows: readonly SavedRow[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => this.#push({ kind: 'rows', rows, resolve, reject }));
  }

  /** Runs `read` between two commits: the store is then in the state of event `seq`. */
  exclusive<T>(conversationId: string, read: (seq: number) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => read(this.#published.get(conversationId) ?? 0).then(resolve, reject);
      this.#push({ kind: 'task', run });
    });
  }

  /** Delivers the events of one conversation, or (null) of all, from now on; returns the function that unsubscribes. */
  subscribe(conversationId: string | null, listener: Listener): () => void {
    if (conversationId === null) {
      this.#everything.add(listener);
      return () => this.#everything.delete(listener);
    }
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(conversationId);
    };
  }

  /** Stores and publishes nothing from now on, as after a commit that failed. */
  fail(error: TriadError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#onFailure(error);
  }

  /** Resolves when everything appended so far is stored or has failed. */
  async flush(): Promise<void> {
    while (this.#draining) {
      this.#stopGathering?.();
      await this.#draining;
    }
  }

  #push(item: Item): void {
    this.#queue.push(item);
    if (!isLowPriority(item)) this.#stopGathering?.();
    if (item.kind === 'task') this.#retry?.();
    // At the end of the event loop's turn, so that everything appended in it becomes one transaction.
    this.#draining ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#drain());
  }

  async #drain(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const next = this.#findTask();
        if (next >= 0) {
          const [task] = this.#queue.splice(next, 1);
          if (task?.kind === 'task') await task.run();
          continue;
        }
        if (this.#diskFull && !this.#failure) await this.#waitForSpace();
        if (this.#queue.every(isLowPriority) && this.#queue.some(({ kind }) => kind === 'event')) await this.#gather();
        const cut = this.#queue.findIndex((item) => item.kind === 'task');
        await this.#commit(this.#queue.splice(0, Math.min(cut < 0 ? this.#queue.length : cut, this.#groupSize)));
      }
    } finally {
      this.#draining = null;
    }
  }

  /** Index of the task that is due; -1 for none. While events wait for space, tasks read the state before them. */
  #findTask(): number {
    if (this.#diskFull) return this.#queue.findIndex(({ kind }) => kind === 'task');
    return this.#queue[0]?.kind === 'task' ? 0 : -1;
  }

  async #waitForSpace(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#retry = resolve;
    const timer = setTimeout(resolve, RETRY_MS);
    await promise;
    clearTimeout(timer);
    this.#retry = null;
  }

  /** Keeps events for a later try. Rows without an event are rejected: their callers can repeat them. */
  #keepForRetry(group: readonly Item[], error: DiskFull): void {
    for (const item of group) if (item.kind === 'rows') item.reject(error);
    this.#queue.unshift(...group.filter(({ kind }) => kind !== 'rows'));
    this.#setDiskFull(this.#queue.length > 0 ? error : null);
  }

  #setDiskFull(error: DiskFull | null): void {
    const isChange = (this.#diskFull === null) !== (error === null);
    this.#diskFull = error;
    if (isChange) this.#onDiskFull();
  }

  async #gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // At the end of the turn, as above.
    this.#stopGathering = () => setImmediate(resolve);
    const timer = setTimeout(resolve, GATHER_MS);
    await promise;
    clearTimeout(timer);
    this.#stopGathering = null;
  }

  async #commit(group: Item[]): Promise<void> {
    const items = group.flatMap((item): readonly CommitItem[] => {
      if (item.kind === 'event') return [{ event: item.event }];
      return item.kind === 'rows' ? item.rows : [];
    });
    try {
      if (this.#failure) throw this.#failure;
      if (items.length > 0) await this.#store.commit(items);
    } catch (error) {
      if (error instanceof DiskFull && !this.#failure) this.#keepForRetry(group, error);
      else this.#fail(error, group);
      return;
    }
    this.#setDiskFull(null);
    for (const item of group) this.#settle(item);
  }

  #settle(item: Item): void {
    if (item.kind === 'event') {
      this.#publish(item.event);
      item.resolve(item.event);
    } else if (item.kind === 'rows') item.resolve();
    else if (item.kind === 'hint') this.#publish(item.event);
  }

  #fail(error: unknown, group: Item[]): void {
    const failure = this.#failure ?? (this.#store.lost.reason as TriadError | undefined) ?? unwritten(error);
    for (const item of group) if (item.kind === 'event' || item.kind === 'rows') item.reject(failure);
    this.fail(failure);
  }

  #publish(event: AgentEvent): void {
    if ('seq' in event) this.#published.set(event.conversationId, event.seq);
    for (const listeners of [this.#listeners.get(event.conversationId), this.#everything]) {
      for (const listener of listeners ?? []) {
        try {
          listener(event);
        } catch {
          // One broken subscriber must not keep events from the others, nor stop the log.
          listeners?.delete(listener);
        }
      }
    }
  }
}

function isLowPriority(item: Item): boolean {
  return item.kind === 'hint' || (item.kind === 'event' && LOW_PRIORITY.has(item.event.type));
}
