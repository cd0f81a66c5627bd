/** How the requests of a run are sent, in its turns and outside of them. */
import { Watchdog } from '../base/watchdog.ts';
import type { SendOptions } from '../model/retry.ts';
import type { RunContext } from './run-context.ts';

type SendingRun = Pick<RunContext, 'envelope' | 'retries' | 'noteSilence' | 'watchdog' | 'admit'>;

/** The request has a watchdog of its own, which ends the attempt and not the run. */
export function createSendOptions(run: SendingRun, turn: number, signal: AbortSignal): SendOptions {
  const { watchdog, envelope } = run;
  return {
    signal,
    retries: run.retries(),
    admit: (stop) => run.admit(stop),
    watch: (onSilence) => new Watchdog(envelope.limits.inactivityMs, onSilence, watchdog.clocks),
    onSilent: (silence) => run.noteSilence({ turn, ...silence }),
  };
}
