/** Runs the command line with real streams and signals, and exits with its code once everything was written. */
import { fileURLToPath } from 'node:url';
import { errorInfo } from '#core/base/errors.ts';
import { brokenOutput, Interruption, lineOf } from './terminal/failure.ts';
import type { Io } from './terminal/io.ts';
import { createScreen } from './terminal/screen.ts';
import { visible } from './terminal/visible.ts';

/** Exits the process at the end. */
export async function start(): Promise<never> {
  const controller = new AbortController();
  /** The first signal stops all work and waits for its end. A second one ends the process at once. */
  const interrupt = (interruption: Interruption) => {
    const again = interruption.by === 'SIGINT' || interruption.by === 'SIGTERM';
    if (controller.signal.aborted && again) process.exit(interruption.exitCode);
    controller.abort(interruption);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => interrupt(new Interruption(name)));

  const { env, stdin, stdout, stderr } = process;
  const screen = createScreen(stdout, stderr, env, (error) => interrupt(brokenOutput(error)));
  // An unexpected error is redacted like all other output.
  process.on('uncaughtException', (error) => {
    const { message, detail = message } = errorInfo(error);
    stderr.write(`triad: ${visible(detail)}\n`);
    process.exit(1);
  });
  const folder = env['INIT_CWD'] || process.cwd();
  const { signal } = controller;
  const io: Io = {
    env,
    folder,
    stdin,
    screen,
    signal,
    webRoot: fileURLToPath(new URL('../../../build', import.meta.url)),
    openTerminal: async () => {
      const { openTerminal } = await import('./terminal/terminal.ts');
      return openTerminal(env, (signal) => interrupt(new Interruption(signal)));
    },
    connect: async ({ works }) => {
      const { connect } = await import('../connect.ts');
      // A note may contain names of files that others chose.
      const note = (text: string) => screen.note(`triad: ${visible(text).replaceAll('\n', '\n  ')}`);
      return connect({ env, folder, signal, works, note });
    },
  };

  let code = 1;
  try {
    code = await (await import('./program.ts')).main(process.argv.slice(2), io);
  } catch (error) {
    screen.note(`triad: ${lineOf(error)}`);
  }
  await screen.flush();
  if (signal.reason instanceof Interruption && signal.reason.by === 'unwritable') {
    screen.note(`triad: ${lineOf(signal.reason)}`);
    await screen.flush();
    code = signal.reason.exitCode;
  }
  // The engine of the store keeps the process alive by itself.
  process.exit(code);
}
