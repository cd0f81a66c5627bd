/** The live view of one conversation: subscribed to its events and reduced from them. */
import type { AgentEvent } from '#contract/event.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { attach, reduce, withCalls, withEarlier, withEntries, type View } from '#lib/view/reduce.ts';
import { nextFrame, type Schedule } from './frames.ts';

/** What a transcript needs: the view, and a way to load the entries of a run. */
export interface TranscriptSource {
  readonly view: View | null;
  loadEntries(runId: string): Promise<void>;
}

export class Session implements TranscriptSource {
  view = $state.raw<View | null>(null);
  failure = $state.raw<RequestError | null>(null);
  loadingEarlier = $state(false);
  /** Whether the last change added workflows at the start, so that a scrolled list keeps its position. */
  grewAtStart = $state(false);
  readonly conversationId: string;
  readonly #connection: Connection;
  readonly #schedule: Schedule;
  readonly #endOnOpen: () => void;
  // Read inside effects, which must not depend on it.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  readonly #loading = new Set<string>();
  #queue: AgentEvent[] = [];
  #cancelFlush: (() => void) | null = null;
  #unsubscribe: (() => void) | null = null;
  /** Counts attachments: replies to older ones are dropped. */
  #attachment = 0;

  constructor(connection: Connection, conversationId: string, schedule: Schedule = nextFrame) {
    this.#connection = connection;
    this.conversationId = conversationId;
    this.#schedule = schedule;
    this.#endOnOpen = connection.onOpen(() => void this.attach());
    if (connection.status === 'open') void this.attach();
  }

  /**
   * Subscribes, then requests a snapshot, then drops older events: correct at any moment. An error goes to `failure`.
   */
  async attach(): Promise<void> {
    this.#detach();
    const attachment = ++this.#attachment;
    const { conversationId } = this;
    const early: AgentEvent[] = [];
    let live = false;
    try {
      const unsubscribe = await this.#connection.subscribe('conversation', { conversationId }, (event) => {
        if (attachment !== this.#attachment) return;
        if (live) this.#enqueue(event);
        else early.push(event);
      });
      if (attachment !== this.#attachment) {
        unsubscribe();
        return;
      }
      this.#unsubscribe = unsubscribe;
      const snapshot = await this.#connection.request('conversation.snapshot', { conversationId });
      if (attachment !== this.#attachment) return;
      live = true;
      this.grewAtStart = false;
      this.view = attach(snapshot, early);
      this.failure = null;
    } catch (error) {
      if (attachment === this.#attachment) this.failure = asRequestError(error);
    }
  }

  /**
   * Loads the entries and calls of a run into the view; concurrent calls for the same run are ignored. Rejects with a
   * `RequestError`.
   */
  async loadEntries(runId: string): Promise<void> {
    if (this.#loading.has(runId)) return;
    this.#loading.add(runId);
    try {
      const [entries, calls] = await Promise.all([
        this.#connection.request('run.entries', { runId }),
        this.#connection.request('run.calls', { runId }),
      ]);
      // Events up to the reply are older than it or the same.
      this.#flush();
      if (this.view) this.view = withCalls(withEntries(this.view, runId, entries), calls);
    } finally {
      this.#loading.delete(runId);
    }
  }

  /** Loads the page of older workflows. Rejects with a `RequestError`. */
  async loadEarlier(): Promise<void> {
    const before = this.view?.workflows[0]?.id;
    if (before === undefined || this.loadingEarlier) return;
    const { conversationId } = this;
    this.loadingEarlier = true;
    try {
      const page = await this.#connection.request('conversation.earlier', { conversationId, before });
      if (this.view === null) return;
      this.grewAtStart = true;
      this.view = withEarlier(this.view, page);
    } finally {
      this.loadingEarlier = false;
    }
  }

  close(): void {
    this.#attachment += 1;
    this.#endOnOpen();
    this.#detach();
  }

  #detach(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    this.#queue = [];
  }

  #enqueue(event: AgentEvent): void {
    this.#queue.push(event);
    this.#cancelFlush ??= this.#schedule(() => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    const [events, later] = inTurn(this.#queue);
    this.#queue = [];
    if (this.view === null || events.length === 0) return;
    for (const event of later) this.#enqueue(event);
    this.grewAtStart = false;
    if (hasGap(this.view.seq, events)) void this.attach();
    else this.view = reduce(this.view, events);
  }
}

/** Words that several runs write are drawn run by run, each in a frame of its own: all at once they would take several. */
function inTurn(events: readonly AgentEvent[]): [now: AgentEvent[], later: AgentEvent[]] {
  const first = events[0];
  const isOfFirst = (event: AgentEvent): boolean => event.runId === first?.runId;
  if (events.some(({ type }) => type !== 'message-delta')) return [[...events], []];
  return [events.filter(isOfFirst), events.filter((event) => !isOfFirst(event))];
}

/** Durable events are numbered without gaps, so a jump means that some were lost on the way. */
function hasGap(seq: number, events: readonly AgentEvent[]): boolean {
  let last = seq;
  for (const event of events) {
    if (!('seq' in event) || event.seq <= last) continue;
    if (event.seq !== last + 1) return true;
    last = event.seq;
  }
  return false;
}
