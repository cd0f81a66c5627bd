/** The connection of a command, made again when the process behind it has gone: perhaps this one then does the work. */
import type { Client } from '#contract/rpc.ts';
import type { Connected } from '#core/hosting/connect-or-own.ts';
import { Interruption } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

export interface Link {
  readonly current: Connected;
  /** Connects again; only for a client whose owner has gone. */
  again(): Promise<void>;
  /** Does what may be done twice: where the owner goes in the middle of it, it is done once more. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** An owner stays until the workflows of other programs have ended; Ctrl-C leaves, and so does a signal to end. */
  close(): Promise<void>;
}

/** `works`: whether model requests are likely. */
export async function openLink(io: Io, works: boolean): Promise<Link> {
  let current = await io.connect({ works });
  const again = async () => {
    await current.close();
    current = await io.connect({ works });
  };
  return {
    get current() {
      return current;
    },
    again,
    ask: async (work) => {
      for (;;) {
        const { client } = current;
        try {
          return await work(client);
        } catch (error) {
          if (!ownerGone(current)) throw error;
        }
        await again();
      }
    },
    // A Ctrl-C that has ended the command's own work is not yet a wish to interrupt the work of others; a signal that
    // ends the program is: it goes on in those.
    close: () => current.close(io.signal.aborted && !endsProgram(io.signal) ? new AbortController().signal : io.signal),
  };
}

function endsProgram({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && (reason.by === 'SIGTERM' || reason.by === 'SIGHUP');
}

/** Whether there is nothing to hear from this connection any more, but perhaps from another one. */
export function ownerGone({ owner, lost }: Connected): boolean {
  return !owner && lost.aborted;
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
