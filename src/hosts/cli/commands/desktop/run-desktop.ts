/** The desktop app as a process of its own, for as long as its windows are open. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Desktop, fetchDesktop, findDesktop } from './desktop-runtime.ts';
import type { Io } from '../../terminal/io.ts';

const MAIN = fileURLToPath(new URL('../../../../../dist/electron/main.js', import.meta.url));
/** Whoever waits longer than this for something is told what for. */
const SILENT_MS = 2000;
/** A runtime that fails sooner than this could not start here: no display, no rights, missing libraries. */
const START_MS = 5000;

/** How the desktop ended, or why there is none. */
export type Ended = { ok: true; code: number } | { ok: false; reason: string };

export async function runDesktop(io: Io): Promise<Ended> {
  const found = await findDesktop(io.env, process.platform);
  const desktop = found.ok || !found.missing ? found : await fetchNow(io);
  if (!desktop.ok) return desktop;
  if (!desktop.packed && !existsSync(MAIN))
    return { ok: false, reason: 'the desktop is not built ("npm run build" does it)' };
  return run(io, desktop.path, desktop.packed ? [] : [MAIN]);
}

async function fetchNow({ env, signal, screen }: Io): Promise<Desktop> {
  const timer = setTimeout(() => screen.note('Fetching the desktop runtime: once, about 110 MB…'), SILENT_MS);
  try {
    return await fetchDesktop(env, process.platform, signal);
  } finally {
    clearTimeout(timer);
  }
}

function run({ env, folder, signal }: Io, path: string, args: readonly string[]): Promise<Ended> {
  const started = Date.now();
  const child = spawn(path, args, { cwd: folder, env, stdio: 'inherit' });
  // It marks what runs before it goes, and is waited for.
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise<Ended>((resolve) => {
    child.once('error', ({ message }) => resolve({ ok: false, reason: `it does not start (${message})` }));
    child.once('exit', (code, name) => {
      const failed = code !== 0 && !signal.aborted && Date.now() - started < START_MS;
      if (failed) resolve({ ok: false, reason: `it ended at once (${name ?? `code ${code}`})` });
      else resolve({ ok: true, code: code ?? 1 });
    });
  }).finally(() => signal.removeEventListener('abort', stop));
}
