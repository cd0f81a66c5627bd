/** Records the events of one run: adds ids and time to each, keeps the run's usage totals, and streams its deltas. */
import type { DurableEvent, EventDraft } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import type { OpenMessage } from '#contract/view.ts';
import { addTally, tallyOf } from '#domain/tally.ts';
import { orStopped } from '#core/base/stop.ts';
import type { Watchdog } from '#core/base/watchdog.ts';
import type { EventLog } from './event-log.ts';
import type { OpenMessages, Piece } from './open-messages.ts';
import { failureContextOf } from './failure-context.ts';
import type { WorkflowTotals } from './workflow-totals.ts';

export interface RunIds {
  readonly conversationId: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agent: string;
}

/** An event without ids and time, which the recorder adds. */
export type Payload = EventDraft extends infer E
  ? E extends EventDraft
    ? Omit<E, keyof RunIds | 'at'>
    : never
  : never;

/** The handle of a recorded event: it has its number; `stored` resolves once it is durable. */
export interface Recorded {
  readonly stored: Promise<DurableEvent>;
}

export type Emit = (payload: Payload) => Promise<Recorded>;

/**
 * Returns true when the event is durable, false as soon as the signal aborts. Rejects with `store_failed`. The watchdog is
 * on hold meanwhile, because a wait for the disk is not a silence of the run.
 */
export async function waitUntilStored(
  recorded: Promise<Recorded>,
  { watchdog, signal }: { watchdog: Watchdog; signal: AbortSignal },
): Promise<boolean> {
  const { stored } = await recorded;
  const resume = watchdog.hold();
  try {
    await orStopped(signal, stored);
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    resume();
  }
}

export class Recorder {
  readonly ids: RunIds;
  readonly #log: EventLog;
  readonly #open: OpenMessages;
  readonly #workflow: WorkflowTotals;
  #tally: Tally;

  /** `tally`: usage of the run's earlier attempts. New usage is added to the workflow's totals as well. */
  constructor(log: EventLog, open: OpenMessages, ids: RunIds, tally: Tally, workflow: WorkflowTotals) {
    this.#log = log;
    this.#open = open;
    this.ids = ids;
    this.#tally = tally;
    this.#workflow = workflow;
    // Of a run that goes on or is tried again; a fresh one is queued.
    const known = workflow.failureContextOf(ids.runId);
    if (known) log.chains.keep(ids.runId, known.parentChain);
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** Resolves when the event is stored and published. It need not be awaited: the log reports failures itself. */
  record(payload: Payload): Promise<DurableEvent> {
    if (payload.type === 'usage') {
      const used = tallyOf(payload.request);
      this.#tally = addTally(this.#tally, used);
      this.#workflow.count(used);
    }
    if (payload.type === 'message-part') this.#open.complete(this.ids, payload.messageId, payload.part, payload.value);
    if (payload.type === 'run-queue') {
      this.#workflow.queued(this.ids.runId, failureContextOf(payload));
      this.#log.chains.keep(this.ids.runId, payload.parentChain);
    }
    const origin = isFailed(payload) ? this.#workflow.failureContextOf(this.ids.runId) : undefined;
    // Deltas that came before the event are published before it.
    this.#open.publish();
    if (payload.type === 'message-end' && payload.entry.kind === 'assistant') this.#open.end(payload.entry.messageId);
    const at = new Date().toISOString();
    this.#open.waits.update({ ...payload, at, ...this.ids });
    const stored = this.#log.append({ ...payload, ...(origin && { origin }), at, ...this.ids });
    stored.catch(() => undefined);
    return stored;
  }

  hint(piece: Piece): void {
    this.#open.waits.endProviderWait(this.ids.runId);
    this.#open.append(this.ids, piece);
  }

  /** Tells what a running call has printed last; never stored. */
  printed(toolCallId: string, tail: string, bytes: number): void {
    this.#log.hint({ type: 'tool-output', toolCallId, tail, bytes, at: new Date().toISOString(), ...this.ids });
  }

  /** Publishes that an attempt at a request gets no answer; never stored. */
  publishSilence(silence: { turn: number; attempt: number; silentMs: number }): void {
    const event = { type: 'request-silent' as const, ...silence, at: new Date().toISOString(), ...this.ids };
    this.#open.waits.update(event);
    this.#log.hint(event);
  }

  /** The parts of an open message as streamed so far; empty if nothing was. */
  streamed(messageId: string): OpenMessage['parts'] {
    return this.#open.get(messageId)?.parts ?? [];
  }
}

function isFailed(payload: Payload): boolean {
  return payload.type === 'run-end' && payload.error !== null;
}
