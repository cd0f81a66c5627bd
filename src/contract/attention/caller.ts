/**
 * When a person who is away is called: when something waits, again until it is answered, and when a workflow has ended.
 * Pages and the desktop call each in their way; every window keeps the count, so that another can go on with it.
 */
import type { ApprovalRequest } from '../approval.ts';
import type { Attention } from '../view.ts';
import { Calls } from './calls.ts';
import { isQuiet } from './quiet-hours.ts';
import { DEFAULT_SIGNALS } from './default-signals.ts';
import type { Signals } from './signals.ts';

type Ended = Attention['running'][number];

export interface CallerPorts {
  /** Epoch milliseconds. */
  now: () => number;
  /** Whether the person used the app within so many seconds. */
  isHere: (awaySeconds: number) => boolean;
  /** Whether it is here that the person is called. */
  leads: () => boolean;
  /** These wait, or still do. */
  blocked: (requests: readonly ApprovalRequest[], signals: Signals) => void;
  /** These workflows have ended. */
  done: (ended: readonly Ended[], signals: Signals) => void;
  /** Nothing of these waits any more. */
  settled: (approvalIds: readonly string[]) => void;
}

export class Caller {
  readonly #ports: CallerPorts;
  readonly #calls = new Calls();
  #state: Attention | null = null;
  /** Of each, whether it has ended or was cut off is still to be told. */
  #running: Attention['running'] = [];

  constructor(ports: CallerPorts) {
    this.#ports = ports;
  }

  receive(state: Attention): void {
    const before = this.#state;
    this.#state = state;
    const open = new Set(state.questions.map(({ request }) => request.id));
    const gone = before?.questions.map(({ request }) => request.id).filter((id) => !open.has(id)) ?? [];
    if (gone.length > 0) this.#ports.settled(gone);
    this.check();
    const lives = new Set([...state.running, ...(state.interrupted ?? [])].map(({ workflowId }) => workflowId));
    const ended = this.#running.filter(({ workflowId }) => !lives.has(workflowId));
    this.#running = state.interrupted ? state.running : [...ended, ...state.running];
    if (!state.interrupted) return;
    const signals = this.#signals();
    if (ended.length > 0 && !this.#isSilent(signals) && this.#ports.leads()) this.#ports.done(ended, signals);
  }

  /** To be called now and then while something waits: calls are due by the clock. */
  check(): void {
    const questions = this.#state?.questions ?? [];
    const signals = this.#signals();
    const waiting = questions.map(({ request }) => ({ key: request.id, at: Date.parse(request.at) }));
    const moment = { now: this.#ports.now(), repeats: signals.repeats, silent: this.#isSilent(signals) };
    const due = new Set(this.#calls.due(waiting, moment));
    if (due.size === 0 || !this.#ports.leads()) return;
    const requests = questions.map(({ request }) => request).filter(({ id }) => due.has(id));
    this.#ports.blocked(requests, signals);
  }

  #signals(): Signals {
    return this.#state?.signals ?? DEFAULT_SIGNALS;
  }

  #isSilent(signals: Signals): boolean {
    return this.#ports.isHere(signals.awaySeconds) || isQuiet(signals, new Date(this.#ports.now()));
  }
}
