/** Finds the reason why end-to-end tests cannot run in a real desktop. */
import type { Desktop } from '../../src/hosts/cli/commands/desktop/desktop-runtime.ts';

/** Returns the reason, or null if a runtime and a display exist. */
export function findMissingDesktop(
  electron: Desktop,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): string | null {
  if (!electron.ok) return `no Electron runtime here: ${electron.reason}`;
  const hasDisplay = platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return hasDisplay ? null : 'an Electron runtime, but no display';
}
