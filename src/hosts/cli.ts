#!/usr/bin/env node
/** The entry of the command line: real streams and signals, and an exit code once everything was written. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorInfo } from '#core/base/errors.ts';
import { writeFault } from '#core/base/write-fault.ts';
import { folders } from '#core/settings/folders.ts';
import { brokenOutput, Interruption, lineOf } from './cli/terminal/failure.ts';
import type { Io } from './cli/terminal/io.ts';
import { createScreen } from './cli/terminal/screen.ts';
import { visible } from './cli/terminal/visible.ts';

const controller = new AbortController();
/** The first time asks everything to stop and waits for it; a person or a system that asks again means at once. */
const interrupt = (interruption: Interruption) => {
  const again = interruption.by === 'SIGINT' || interruption.by === 'SIGTERM';
  if (controller.signal.aborted && again) process.exit(interruption.exitCode);
  controller.abort(interruption);
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupt(new Interruption(name)));

const { env, stdin, stdout, stderr } = process;
const screen = createScreen(stdout, stderr, env, (error) => interrupt(brokenOutput(error)));
// What nobody foresaw is told as all else is: without secrets.
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
  webRoot: fileURLToPath(new URL('../../build', import.meta.url)),
  openTerminal: async () => {
    const { openTerminal } = await import('./cli/terminal/terminal.ts');
    return openTerminal(env, (signal) => interrupt(new Interruption(signal)));
  },
  connect: async ({ works }) => {
    const { connect } = await import('./connect.ts');
    // It may name files of anybody's making.
    const note = (text: string) => screen.note(`triad: ${visible(text).replaceAll('\n', '\n  ')}`);
    return connect({ env, folder, signal, works, note });
  },
};

// Compiling the modules is most of a start; the cache must be on before they are loaded, and is missed by nobody.
await compileCache().catch(() => undefined);
async function compileCache(): Promise<void> {
  const cache = join((await folders(env)).data, 'cache');
  // It holds code that is run.
  if ((await writeFault(cache)) === null) enableCompileCache(cache);
}

let code = 1;
try {
  code = await (await import('./cli/program.ts')).main(process.argv.slice(2), io);
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
