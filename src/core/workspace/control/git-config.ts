/** Compares two states of a settings file of git. Detects added settings that can run a program. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Git } from '../git.ts';
import { isInside } from '../reach.ts';
import { hasGitPart } from './scan-control-files.ts';

/** Settings that run no program, whatever their value is. Git reports keys in lower case, except the part between the dots. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^core\.(safecrlf|quotepath|abbrev|whitespace|sharedrepository|sparsecheckout|sparsecheckoutcone|compression)$/,
  /^core\.(bigfilethreshold|untrackedcache|preloadindex|longpaths|commentchar|protecthfs|protectntfs)$/,
  /^extensions\.(objectformat|refstorage|worktreeconfig|noop)$/,
  /^(user|author|committer)\.(name|email)$/,
  /^branch\..+\.(merge|rebase|description)$/,
  /^remote\..+\.(fetch|push|tagopt|prune|mirror|skipdefaultupdate|skipfetchall)$/,
  /^submodule\.(.+\.)?(active|branch|ignore|fetchrecursesubmodules|recurse)$/,
  /^(init\.defaultbranch|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|merge\.(ff|conflictstyle))$/,
  /^(rebase\.(autostash|autosquash|updaterefs)|fetch\.(prune|prunetags)|gc\.(auto|autodetach|pruneexpire))$/,
  /^diff\.(algorithm|renames|mnemonicprefix|colormoved|context|noprefix)$/,
  /^(color|advice)(\.[^.]+)+$/,
  /^lfs\.repositoryformatversion$/,
  // Options of a cherry-pick in progress. Its strategy is the name of a program, so it is not listed.
  /^options\.(no-commit|edit|allow-empty(-message)?|(keep|drop)-redundant-commits|signoff|record-origin|allow-ff)$/,
  /^options\.(mainline|gpg-sign|strategy-option|allow-rerere-auto|default-msg-cleanup)$/,
];
/** Settings whose value is an address. */
const ADDRESS = /^(remote\..+\.(url|pushurl)|branch\..+\.(remote|pushremote)|submodule\..+\.url)$/;
/** `NAME::ADDRESS` and other schemes start the program `git-remote-NAME`, and a dash starts an option. */
const ON_HOST = /^(https?|ssh|git):\/\/[^-]|^(?!-)[^/:]+:(?!:|\/\/)/;

export interface ConfigFile {
  path: string;
  /** Null: there was no file. */
  before: Buffer | null;
  after: Buffer;
}

/** Returns whether all that was added runs no program. `root`: the workspace, in which a work tree must be. */
export async function isHarmlessConfig(git: Git, { path, before, after }: ConfigFile, root: string): Promise<boolean> {
  const [old, now] = await Promise.all([
    before === null ? [] : git.listSettings('-', before),
    git.listSettings('-', after),
  ]);
  if (old === null || now === null) return false;
  const known = new Set(old);
  const names = new Set(now.map((setting) => /^remote\.(.+)\.url$/.exec(setting.split('\n')[0]!)?.[1]));
  for (const setting of now) {
    const [key = '', ...lines] = setting.split('\n');
    if (known.has(setting) || HARMLESS.some((pattern) => pattern.test(key))) continue;
    const value = lines.join('\n');
    const isHarmless =
      key === 'core.worktree'
        ? isInside(root, isAbsolute(value) ? join(value) : join(path, '..', value))
        : ADDRESS.test(key) &&
          ((key.startsWith('branch.') && names.has(value)) || (await isHarmlessAddress(value, path, root)));
    if (!isHarmless) return false;
  }
  return true;
}

/** A push runs the hooks of a repository on this machine. Those in the workspace are control files too. */
async function isHarmlessAddress(address: string, path: string, root: string): Promise<boolean> {
  if (address === '.' || ON_HOST.test(address)) return true;
  if (address === '' || /^-|:/.test(address)) return false;
  if (!isAbsolute(address) && basename(dirname(path)) !== '.git') return false;
  const full = isAbsolute(address) ? join(address) : join(dirname(dirname(path)), address);
  const real = await realpath(full).catch(() => null);
  return real !== null && real === full.replace(/\/$/, '') && isInside(root, real) && !hasGitPart(dirname(real));
}

/** Commands of a rebase that run no program. */
const REBASES =
  /^\s*(#|$|(pick|reword|edit|squash|fixup|drop|label|reset|merge|update-ref|noop|break|[presfdltmub])(\s|$))/;
/** Strategies of git itself; another one is the name of a program. */
const STRATEGIES = /^(ort|recursive|resolve|octopus|ours|subtree)\s*$/;

/** Returns whether a file of a rebase in progress names no program that it did not name before. */
export function isHarmlessProgress(name: string, before: Buffer | null, after: Buffer): boolean {
  if (name === 'strategy') return STRATEGIES.test(after.toString('latin1'));
  const known = new Set(before?.toString('latin1').split('\n'));
  return after
    .toString('latin1')
    .split('\n')
    .every((line) => known.has(line) || REBASES.test(line));
}
