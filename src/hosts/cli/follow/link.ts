/** The connection of a command to the owner of the data folder. Reconnects if the owner ends, or becomes the owner itself. */
import type { Client } from '#contract/rpc.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { Interruption } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

export interface Link {
  readonly current: Connected;
  /** Connects again. Call it only after the owner has ended. */
  again(): Promise<void>;
  /** Runs `work`, which must be repeatable: runs it again if the owner ends meanwhile. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Closes the connection. An owner waits until the workflows of other programs have ended, or for Ctrl-C or a signal. */
  close(): Promise<void>;
}

/** Opens the connection. `works`: model requests are likely. */
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
    // The Ctrl-C that ended the work of this command does not interrupt the work of other programs, so `close` waits for
    // the next one. A signal that ends the program interrupts them at once.
    close: () => current.close(io.signal.aborted && !endsProgram(io.signal) ? new AbortController().signal : io.signal),
  };
}

/** Runs `work` with a connection for its duration. Model requests are not likely. */
export async function withLink<T>(io: Io, work: (link: Link) => Promise<T>): Promise<T> {
  const link = await openLink(io, false);
  try {
    return await work(link);
  } finally {
    await link.close();
  }
}

/** Runs a command that prints only at its end: a lost connection repeats its requests, but no output. */
export async function withClient(io: Io, work: (client: Client) => Promise<void>): Promise<void> {
  await withLink(io, (link) => link.ask(work));
}

function endsProgram({ reason }: AbortSignal): boolean {
  return reason instanceof Interruption && (reason.by === 'SIGTERM' || reason.by === 'SIGHUP');
}

/** Returns true if the connection is lost, and another process can be the owner now. */
export function ownerGone({ owner, lost }: Connected): boolean {
  return !owner && lost.aborted;
}

/** Resolves when the signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
