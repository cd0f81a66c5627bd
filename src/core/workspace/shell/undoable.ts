/** Whether what a command is about to change can all be put back, and in words what of it cannot. */
import type { Workspace } from '../reach.ts';
import type { ShellHost } from './run-shell.ts';
import type { Writable } from './sandbox.ts';

interface Asked {
  command: string;
  network: boolean;
  readOnly: boolean;
  background: boolean;
}

export interface Undoable {
  reversible: boolean;
  /** A sentence without its stop. */
  words: string;
  write: Writable;
}

/** Folders that the programs which made them make again. */
const MADE_AGAIN = new Set([
  ...['node_modules', 'bower_components', '.venv', 'venv', '__pycache__', '.eggs', '.gradle', '.bundle'],
  ...['dist', 'build', 'out', 'target', 'coverage', '.nyc_output', 'test-results', 'playwright-report'],
  ...['.next', '.nuxt', '.svelte-kit', '.turbo', '.cache', '.parcel-cache', '.vite', 'tmp', '.tmp'],
  ...['.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox'],
]);
/** Commands of git that change nothing in it. */
const READS_GIT = /^git (status|log|diff|show|ls-files|rev-parse|blame|grep|describe|shortlog)( |$)/;
const GIT = /^git( |$)/;
const SHOWN = 3;

export async function undoableOf(
  host: ShellHost,
  workspace: Workspace,
  asked: Asked,
  signal: AbortSignal,
): Promise<Undoable> {
  const not = (words: string): Undoable => ({ reversible: false, words, write: 'all' });
  if ((await host.sandbox()) === null) return not('What it changes cannot be undone');
  if (asked.readOnly && !asked.network)
    return { reversible: true, words: 'It can write nothing there', write: 'nothing' };
  if (asked.network) return not('What it sends and what it changes cannot be undone');
  if (asked.background) return not('What it changes while it runs in the background cannot be undone');
  const commands = await host.commandsIn(asked.command);
  if (commands?.some((one) => GIT.test(one) && !READS_GIT.test(one)))
    return not('What git stores in .git cannot be undone');
  const notKept = await host.notKept(workspace, signal);
  if (notKept === null) return not('What it changes cannot be undone: there is no git, or the folder is too large');
  const lost = notKept.filter((path) => !isMadeAgain(path));
  if (lost.length > 0)
    return not(`What it changes in ${some(lost)} could not be undone: git ignores it, or it cannot be kept`);
  const words =
    notKept.length > 0
      ? `What it changes can be undone, except in ${some(notKept)}, which git ignores`
      : 'What it changes can be undone';
  return { reversible: true, words, write: 'files' };
}

function isMadeAgain(path: string): boolean {
  return path.endsWith('/') && path.split('/').some((name) => MADE_AGAIN.has(name));
}

function some(paths: readonly string[]): string {
  const more = paths.length - SHOWN;
  return paths.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
