/** Opens the person's browser where there is a screen; never a failure, the URL stands in the terminal anyway. */
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** The command that opens a URL, or null where no screen is. */
export function browserCommand(url: string, env: Environment, platform: NodeJS.Platform): [string, ...string[]] | null {
  if (platform === 'darwin') return ['open', url];
  // An ampersand would end the command for cmd: the URL has none.
  if (platform === 'win32') return ['cmd', '/c', 'start', '', url];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : null;
}

/** Says whether a browser was asked to open. */
export async function openBrowser(url: string, env: Environment): Promise<boolean> {
  const command = browserCommand(url, env, process.platform);
  if (command === null) return false;
  const [name, ...args] = command;
  const child = spawn(name, args, { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
