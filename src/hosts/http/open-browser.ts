/**
 * Opens the person's browser where there is a screen; never a failure, the URL stands in the terminal anyway. The URL
 * carries a token, and everybody on this machine can read command lines: so a file that leads there is opened.
 */
import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { type Environment, withoutSecrets } from '#core/base/child-environment.ts';

/** How long a browser may take to start and read the file, in milliseconds. */
const FILE_MS = 60_000;

export interface ServedUrl {
  url: string;
  port: number;
  /** When a browser has signed in, the file is of no use any more. */
  signedIn: Promise<void>;
}

/** The command that opens a file, or null where no screen is. */
export function browserCommand(
  file: string,
  env: Environment,
  platform: NodeJS.Platform,
): [string, ...string[]] | null {
  if (platform === 'darwin') return ['open', file];
  // Not `start` of cmd, which takes characters of a path for its own.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', file];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', file] : null;
}

/** Resolves when a browser was asked to open, with a function to be called at the end of the program; with null where there is none. */
export async function openBrowser(
  served: ServedUrl,
  dataFolder: string,
  env: Environment,
): Promise<(() => Promise<void>) | null> {
  const folder = join(dataFolder, 'open');
  const file = join(folder, `${served.port}.html`);
  const command = browserCommand(file, env, process.platform);
  if (command === null) return null;
  const remove = () => rm(file, { force: true }).catch(() => undefined);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeAtomically(file, pageTo(served.url), { mode: 0o600, sync: false });
  } catch {
    return null;
  }
  if (!(await started(command, withoutSecrets(env)))) {
    await remove();
    return null;
  }
  const timer = setTimeout(() => void remove(), FILE_MS).unref();
  void served.signedIn.then(remove);
  return async () => {
    clearTimeout(timer);
    await remove();
  };
}

function started([name, ...args]: [string, ...string[]], env: Environment): Promise<boolean> {
  const child = spawn(name, args, { stdio: 'ignore', detached: true, env });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** The URL has no character that HTML takes for its own. */
function pageTo(url: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Triad</title>
<p><a href="${url}">Open Triad</a></p>
</html>
`;
}
