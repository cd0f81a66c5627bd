/** Whether what a command is about to change can all be put back, and in words what of it cannot. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { BREAK } from '../../base/pattern.ts';
import type { Workspace } from '../reach.ts';
import { readCommandLine } from './commands.ts';
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
  says: Phrase;
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
/** A command of git in a line that is more than simple commands, with its first argument. */
const ANY_GIT = /(?<![\w.-])git(?: \S*|$)/g;
const SHOWN = 3;

export async function undoableOf(
  host: ShellHost,
  workspace: Workspace,
  asked: Asked,
  signal: AbortSignal,
): Promise<Undoable> {
  const not = (says: Phrase): Undoable => ({ reversible: false, says, write: 'all' });
  if ((await host.sandboxFor(workspace)) === null) return not(phrase('changes_stay'));
  if (asked.readOnly && !asked.network) return { reversible: true, says: phrase('writes_nothing'), write: 'nothing' };
  if (asked.network) return not(phrase('sent_stays'));
  if (asked.background) return not(phrase('background_stays'));
  if (mayWriteGit(asked.command)) return not(phrase('git_stays'));
  const notKept = await host.notKept(workspace, signal);
  if (notKept === null) return not(phrase('nothing_kept'));
  const lost = notKept.filter((path) => !isMadeAgain(path));
  if (lost.length > 0) return not(phrase('not_kept', some(lost)));
  const says = notKept.length > 0 ? phrase('kept_but', some(notKept)) : phrase('kept');
  return { reversible: true, says, write: 'files' };
}

/** Returns whether the line names git to change something. A line whose words are unknown gets no access to `.git`. */
function mayWriteGit(line: string): boolean {
  const { values, words } = readCommandLine(line);
  const hidden = words?.replaceAll(BREAK, '').match(ANY_GIT) ?? [];
  return [...values, ...hidden].some((one) => GIT.test(one) && !READS_GIT.test(one));
}

function isMadeAgain(path: string): boolean {
  return path.endsWith('/') && path.split('/').some((name) => MADE_AGAIN.has(name));
}

function some(paths: readonly string[]) {
  return { paths: paths.slice(0, SHOWN).join(', '), more: Math.max(0, paths.length - SHOWN) };
}
