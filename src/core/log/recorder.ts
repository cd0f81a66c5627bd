/** Records what one run does: adds who and when to each event, keeps the run's totals, and streams its hints. */
import type { DurableEvent, EventDraft } from '#contract/event.ts';
import type { Tally } from '#contract/outcome.ts';
import { addTally, tallyOf } from '#contract/tally.ts';
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

/** An event as its run tells it. */
export type Payload = EventDraft extends infer E
  ? E extends EventDraft
    ? Omit<E, keyof RunIds | 'at'>
    : never
  : never;

/** What became of a payload: it is numbered, and `stored` resolves when the disk has it. */
export interface Recorded {
  readonly stored: Promise<DurableEvent>;
}

export type Emit = (payload: Payload) => Promise<Recorded>;

export class Recorder {
  readonly ids: RunIds;
  readonly #log: EventLog;
  readonly #open: OpenMessages;
  readonly #workflow: WorkflowTotals;
  #tally: Tally;

  /** `tally`: what earlier attempts of the run used; the workflow's total grows with the run's. */
  constructor(log: EventLog, open: OpenMessages, ids: RunIds, tally: Tally, workflow: WorkflowTotals) {
    this.#log = log;
    this.#open = open;
    this.ids = ids;
    this.#tally = tally;
    this.#workflow = workflow;
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** Resolves when the event is stored and published. Not awaiting it is fine: a failure reaches everyone through the log. */
  record(payload: Payload): Promise<DurableEvent> {
    if (payload.type === 'usage') {
      const used = tallyOf(payload.request);
      this.#tally = addTally(this.#tally, used);
      this.#workflow.count(used);
    }
    if (payload.type === 'message-part') this.#open.complete(this.ids, payload.messageId, payload.part, payload.value);
    if (payload.type === 'run-queue') this.#workflow.queued(this.ids.runId, failureContextOf(payload));
    const origin = isFailed(payload) ? this.#workflow.failureContextOf(this.ids.runId) : undefined;
    // What was streamed before the event is shown before it.
    this.#open.publish();
    if (payload.type === 'message-end' && payload.entry.kind === 'assistant') this.#open.end(payload.entry.messageId);
    const at = new Date().toISOString();
    const stored = this.#log.append({ ...payload, ...(origin && { origin }), at, ...this.ids });
    stored.catch(() => undefined);
    return stored;
  }

  hint(piece: Piece): void {
    this.#open.append(this.ids, piece);
  }

  /** What was streamed of a message that has not ended. */
  streamed(messageId: string): { kind: 'text' | 'thinking' | 'tool'; text: string }[] {
    return this.#open.get(messageId)?.parts ?? [];
  }
}

function isFailed(payload: Payload): boolean {
  return payload.type === 'run-end' && payload.error !== null;
}
