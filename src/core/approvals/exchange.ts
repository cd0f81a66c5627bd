/** The person's questions to the asking agent before a decision: one at a time, each stored with its answer. */
import type { Approval, Context } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import { Stopped } from '../base/stop.ts';

interface ExchangePorts {
  approval: Approval;
  readonly asking: {
    explain(approval: Approval, signal: AbortSignal): Promise<string>;
    record(payload: Payload): Promise<DurableEvent>;
  };
  readonly onChange: () => void;
}

export class Exchange {
  readonly #ports: ExchangePorts;
  #current: { controller: AbortController; done: Promise<void> } | null = null;

  constructor(ports: ExchangePorts) {
    this.#ports = ports;
  }

  /** Returns true while the agent answers. */
  get isActive(): boolean {
    return this.#current !== null;
  }

  /** Resolves when the question is stored; the answer follows later. Throws `conflict` while the agent answers another one. */
  async ask(question: string): Promise<void> {
    if (this.#current) throw new TriadError('conflict', 'The agent still answers your last question: wait for it');
    const { approval, asking, onChange } = this.#ports;
    const at = new Date().toISOString();
    const context: Context = { id: newId(), question: question.trim(), answer: null, error: null, at };
    const n = (approval.context ??= []).push(context) - 1;
    const controller = new AbortController();
    const stored = asking.record({ type: 'context-request', approvalId: approval.request.id, n, context });
    this.#current = { controller, done: this.#answer(n, stored, controller.signal) };
    onChange();
    await stored;
  }

  /** Aborts the current answer, and resolves when it has ended. */
  end(): Promise<void> {
    this.#current?.controller.abort(new Stopped('parent'));
    return this.#current?.done ?? Promise.resolve();
  }

  async #answer(n: number, stored: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { approval, asking } = this.#ports;
    try {
      await stored;
      this.#end(n, { answer: await asking.explain(approval, signal) });
    } catch (error) {
      this.#end(n, { error: describeFailure(error, signal) });
    } finally {
      this.#current = null;
      this.#ports.onChange();
    }
  }

  #end(n: number, end: Partial<Context>): void {
    const { approval, asking } = this.#ports;
    const context = { ...approval.context![n]!, ...end };
    approval.context![n] = context;
    // A failed write is a failure of the log, which stops the run that waits.
    asking.record({ type: 'context-end', approvalId: approval.request.id, n, context }).catch(() => undefined);
  }
}

/** Returns the reason for a missing answer. An interruption leaves the approval open, so the person can ask again. */
function describeFailure(error: unknown, signal: AbortSignal): string {
  if (error instanceof Stopped && error.code === 'interrupted') return INTERRUPTED;
  return signal.aborted ? 'Not answered: the question was closed meanwhile' : errorInfo(error).message;
}

const INTERRUPTED = 'Interrupted: ask again';

/** Returns the events that end the questions without an answer after a shutdown or crash. */
export function interruptedExchanges({ request, context = [] }: Approval): Extract<Payload, { type: 'context-end' }>[] {
  return context.flatMap((one, n) =>
    one.answer === null && one.error === null
      ? { type: 'context-end', approvalId: request.id, n, context: { ...one, error: INTERRUPTED } }
      : [],
  );
}
