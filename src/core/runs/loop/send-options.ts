/** The options for sending the requests of a run, in its turns and outside of them. */
import { Watchdog } from '#core/base/watchdog.ts';
import type { SendOptions } from '#core/model/retry.ts';
import type { Requester } from '../run-requests.ts';

/** Creates the options. The watchdog of a request ends the attempt, not the run. */
export function createSendOptions(run: Requester, turn: number, signal: AbortSignal): SendOptions {
  const { watchdog, envelope } = run;
  return {
    signal,
    retries: run.requests.retries(),
    admit: (stop) => run.requests.admit(stop),
    watch: (onSilence) => new Watchdog(envelope.limits.inactivityMs, onSilence, watchdog.clocks),
    onSilent: (silence) => run.recorder.publishSilence({ turn, ...silence }),
  };
}
