/** Ends a command before its time: when its time is up, or when its run is stopped. */
import { type Stopped, stopOf } from '../../base/stop.ts';
import type { CommandProcesses } from './command-processes.ts';

export interface CommandEnding {
  /** Asks its processes to end, and ends them after the grace. */
  end(): void;
  /** Nothing ends it any more: it has ended. */
  settle(): void;
  /** What came first, if anything. */
  reason(): { timedOut: boolean; stopped: Stopped | null };
}

export function commandEnding(
  processes: CommandProcesses,
  { timeoutMs, graceMs, signal }: { timeoutMs: number; graceMs: number; signal: AbortSignal },
): CommandEnding {
  let reason: { timedOut: boolean; stopped: Stopped | null } = { timedOut: false, stopped: null };
  let grace: NodeJS.Timeout | null = null;
  const end = (): void => {
    if (grace) return;
    clearTimeout(time);
    processes.terminate();
    grace = setTimeout(() => processes.kill(), graceMs);
  };
  const onTime = (): void => {
    reason = { timedOut: true, stopped: null };
    end();
  };
  const onAbort = (): void => {
    if (!grace) reason = { timedOut: false, stopped: stopOf(signal) };
    end();
  };
  const time = setTimeout(onTime, timeoutMs);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    end,
    settle() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(time);
      if (grace) clearTimeout(grace);
    },
    reason: () => reason,
  };
}
