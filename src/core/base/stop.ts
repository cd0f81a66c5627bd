/** Why something was stopped: the typed reason of every abort. */
import type { ErrorCode } from '#contract/error.ts';
import { TriadError } from './errors.ts';

/** The sentence of each reason, as it is recorded and shown. */
const SENTENCE = {
  user: 'Stopped by the person',
  output: 'Stopped: its output was closed, nobody reads it any more',
  parent: 'Stopped together with the run that started it',
  lead: 'Terminated by the lead',
  timeout: 'Stopped: nothing came from the model or a tool for too long',
  time: 'Stopped: its time was used up',
  // The person did not allow the start that they had requested themselves.
  rejected: 'The sub-agent was not started again',
  // The reason of a question about a limit, never of a run.
  raised: 'The limit was raised elsewhere',
  shutdown: 'The program was closed',
  failure: 'The history could not be written',
  provider: 'The provider did not answer',
  // The program that the person or another program started: `triad run` for example.
  terminated: 'The program was ended (SIGTERM)',
  hangup: 'The terminal was closed (SIGHUP)',
  unwritable: 'The output could not be written',
} as const;

export type StopKind = keyof typeof SENTENCE;

/** After these reasons the work can be resumed. */
const INTERRUPTS: ReadonlySet<StopKind> = new Set<StopKind>([
  'shutdown',
  'failure',
  'provider',
  'terminated',
  'hangup',
  'unwritable',
]);

const CODE: Partial<Record<StopKind, ErrorCode>> = {
  timeout: 'inactive',
  time: 'limit_reached',
  rejected: 'not_allowed',
};

export class Stopped extends TriadError {
  readonly kind: StopKind;

  constructor(kind: StopKind, sentence: string = SENTENCE[kind]) {
    super(INTERRUPTS.has(kind) ? 'interrupted' : (CODE[kind] ?? 'cancelled'), sentence);
    this.name = 'Stopped';
    this.kind = kind;
  }

  /** Whether what is below ends for the same reason; else it ends because of what it belongs to. */
  get spreads(): boolean {
    return this.code === 'interrupted';
  }
}

/** The reason of an aborted signal; a signal that was aborted without one counts as the parent's end. */
export function stopOf(signal: AbortSignal): Stopped {
  return signal.reason instanceof Stopped ? signal.reason : new Stopped('parent');
}

/**
 * A controller that also aborts when the signal above does: with its reason where that spreads, else with `parent`.
 * Call `unlink` when what it controls has ended: until then the signal above keeps it.
 */
export function linkedController(above: AbortSignal): { controller: AbortController; unlink: () => void } {
  const controller = new AbortController();
  const follow = (): void => {
    const stop = stopOf(above);
    controller.abort(stop.spreads ? stop : new Stopped('parent'));
  };
  if (above.aborted) follow();
  else above.addEventListener('abort', follow, { once: true });
  return { controller, unlink: () => above.removeEventListener('abort', follow) };
}

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts. */
export async function orStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let follow: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    follow = () => reject(stopOf(signal));
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (follow) signal.removeEventListener('abort', follow);
  }
}
