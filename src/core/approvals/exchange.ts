/** Questions of the person back to the asking agent, before a decision: one at a time, each kept with its answer. */
import type { Approval, Context } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Payload } from '../log/recorder.ts';
import { Stopped } from '../base/stop.ts';

/** Has the asking agent answer the newest question of `approval.context`; rejects with the reason where it cannot. */
export type Explain = (approval: Approval, signal: AbortSignal) => Promise<string>;

interface Ports {
  approval: Approval;
  readonly explain: Explain;
  readonly record: (payload: Payload) => Promise<DurableEvent>;
  readonly onChange: () => void;
}

export class Exchange {
  readonly #ports: Ports;
  #current: { controller: AbortController; done: Promise<void> } | null = null;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Whether the agent is answering. */
  get active(): boolean {
    return this.#current !== null;
  }

  /** Resolves when the question is stored; the answer comes later. Throws `conflict` while the agent still answers another. */
  async ask(question: string): Promise<void> {
    if (this.#current) throw new TriadError('conflict', 'The agent still answers your last question: wait for it');
    const { approval, record, onChange } = this.#ports;
    const at = new Date().toISOString();
    const context: Context = { id: newId(), question: question.trim(), answer: null, error: null, at };
    const n = (approval.context ??= []).push(context) - 1;
    const controller = new AbortController();
    const stored = record({ type: 'context-request', approvalId: approval.request.id, n, context });
    this.#current = { controller, done: this.#answer(n, stored, controller.signal) };
    onChange();
    await stored;
  }

  /** Aborts the answer that is under way; resolves when it has ended. */
  end(): Promise<void> {
    this.#current?.controller.abort(new Stopped('parent'));
    return this.#current?.done ?? Promise.resolve();
  }

  async #answer(n: number, stored: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { approval, explain } = this.#ports;
    try {
      await stored;
      this.#end(n, { answer: await explain(approval, signal) });
    } catch (error) {
      this.#end(n, { error: whyNot(error, signal) });
    } finally {
      this.#current = null;
      this.#ports.onChange();
    }
  }

  #end(n: number, end: Partial<Context>): void {
    const { approval, record } = this.#ports;
    const context = { ...approval.context![n]!, ...end };
    approval.context![n] = context;
    // A failed write is a failure of the log, which stops the run that waits.
    record({ type: 'context-end', approvalId: approval.request.id, n, context }).catch(() => undefined);
  }
}

/** Shutting down does not close the approval, so the person can ask again. */
function whyNot(error: unknown, signal: AbortSignal): string {
  if (error instanceof Stopped && error.code === 'interrupted') return CUT_OFF;
  return signal.aborted ? 'Not answered: the question was closed meanwhile' : errorInfo(error).message;
}

const CUT_OFF = 'Interrupted: ask again';

/** The events that end the questions which the last shutdown or crash left without an answer. */
export function interruptedExchanges({ request, context = [] }: Approval): Extract<Payload, { type: 'context-end' }>[] {
  return context.flatMap((one, n) =>
    one.answer === null && one.error === null
      ? { type: 'context-end', approvalId: request.id, n, context: { ...one, error: CUT_OFF } }
      : [],
  );
}
