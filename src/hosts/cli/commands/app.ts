/** `triad app`: opens the desktop app, or the app in the browser if there is no desktop. */
import type { Command } from 'commander';
import { Interruption } from '../terminal/failure.ts';
import type { Exit, Io } from '../terminal/io.ts';
import { serveApp } from './serve.ts';

export function addApp(program: Command, io: Io, exit: Exit): void {
  program
    .command('app')
    .description('open the desktop app, or the browser if there is no desktop runtime; "triad" alone does the same')
    .action(async () => exit(await openApp(io)));
}

async function openApp(io: Io): Promise<number> {
  const { runDesktop } = await import('./desktop/run-desktop.ts');
  const ended = await runDesktop(io);
  if (ended.ok) return io.signal.reason instanceof Interruption ? io.signal.reason.exitCode : ended.code;
  io.screen.note(`No desktop runtime here: ${ended.reason}; serving to the browser.`);
  return serveApp(io, { open: true });
}
