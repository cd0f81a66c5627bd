/** Compares two states of a settings file of git. Detects added settings that can run a program. */
import { isAbsolute, join } from 'node:path';
import type { Git } from '../git.ts';
import { isInside } from '../reach.ts';

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
];
/** Settings whose value is an address. */
const ADDRESS = /^(remote\..+\.(url|pushurl)|branch\..+\.(remote|pushremote)|submodule\..+\.url)$/;
/** `NAME::ADDRESS` starts the program `git-remote-NAME`, and a dash starts an option. */
const RUNS = /^-|^[^/]*::/;

export interface ConfigFile {
  path: string;
  /** Null: there was no file. */
  before: Buffer | null;
  after: Buffer;
}

/** Returns whether all that was added runs no program. `root`: the workspace, in which a work tree must be. */
export async function isHarmlessConfig(git: Git, { path, before, after }: ConfigFile, root: string): Promise<boolean> {
  const [old, now] = await Promise.all([before === null ? [] : listSettings(git, before), listSettings(git, after)]);
  if (old === null || now === null) return false;
  const known = new Set(old);
  return now.every((setting) => known.has(setting) || isHarmless(setting, path, root));
}

function isHarmless(setting: string, path: string, root: string): boolean {
  const [key = '', ...lines] = setting.split('\n');
  const value = lines.join('\n');
  if (ADDRESS.test(key)) return !RUNS.test(value);
  if (key === 'core.worktree') return isInside(root, isAbsolute(value) ? join(value) : join(path, '..', value));
  return HARMLESS.some((pattern) => pattern.test(key));
}

/** Returns each setting as `KEY`, a line end and its value; null if git cannot read them. */
async function listSettings(git: Git, bytes: Buffer): Promise<string[] | null> {
  const args = ['config', '--file', '-', '--no-includes', '--list', '-z'];
  const output = await git.run({ args, cwd: '/', input: bytes }).catch(() => null);
  return output === null ? null : output.toString('utf8').split('\0').slice(0, -1);
}
