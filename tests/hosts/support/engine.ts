/** The command line in the test's own process: the real program, files, store and network, without the cost of a start. */
import { onTestFinished } from 'vitest';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { visible } from '#hosts/cli/terminal/visible.ts';
import { connect } from '#hosts/connect.ts';
import type { Terminal } from '#hosts/cli/terminal/terminal.ts';
import { memoryClient } from './memory-client.ts';
import { memoryIo } from './memory-io.ts';
import type { Machine } from './process.ts';

type Options = NonNullable<Parameters<Machine['triad']>[2]> & {
  terminal?: Terminal;
  /** Gets what it has written so far, while it runs. */
  watch?: (out: () => string, err: () => string) => void;
};

type Place = Pick<Machine, 'env' | 'folder'>;

/** Connects to the owner of the machine's store, or becomes the owner, as a process of its own does. */
export function connectTo(
  { env, folder }: Place,
  options: Partial<Omit<Parameters<typeof connect>[0], 'env' | 'folder'>> = {},
): Promise<Connected> {
  const { signal } = new AbortController();
  return connect({ env, folder, signal, works: true, note: () => undefined, ...options });
}

/**
 * Runs commands on the home of the machine, one at a time. With a store in memory each has a runtime of its own, from
 * its start to its end; a store that is kept, and one on the disk, is opened once: if no other process owns the home,
 * the first command opens it, and all others use it until the test ends.
 */
export function inProcess({ env, folder: own }: Place, store: 'memory' | 'kept' | 'disk') {
  homeIs(env['HOME']);
  let kept: Connected | null = null;
  /** The screen of the command that runs now. */
  let note: (line: string) => void;
  return async (
    args: Parameters<Machine['triad']>[0],
    input = '',
    { folder = own, env: added, terminal, watch }: Options = {},
  ): ReturnType<Machine['triad']> => {
    const variables = { ...env, ...(store !== 'disk' ? { TRIAD_STORE: 'mem://' } : {}), ...added };
    const io = memoryIo({
      client: memoryClient(),
      stdin: terminal ? null : input,
      env: variables,
      terminal: terminal ?? null,
    });
    watch?.(
      () => io.out(),
      () => io.err(),
    );
    const { screen, signal } = io;
    note = (text) => screen.note(`triad: ${visible(text).replaceAll('\n', '\n  ')}`);
    const code = await io.run(args, {
      folder,
      connect: async ({ works }) => {
        if (kept) return kept;
        const connected = await connectTo({ env: variables, folder }, { signal, works, note: (text) => note(text) });
        if (store === 'memory' || !connected.owner) return connected;
        onTestFinished(() => connected.close());
        return (kept = { ...connected, close: () => Promise.resolve() });
      },
    });
    return { code, out: io.out(), err: io.err() };
  };
}

/** Where the program looks for the person's other files, until the test ends. */
function homeIs(home: string | undefined): void {
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  onTestFinished(() => {
    if (before === undefined) delete process.env['HOME'];
    else process.env['HOME'] = before;
  });
}
