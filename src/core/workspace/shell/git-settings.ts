/** The settings of git that a command gets: names and habits of the person, without credentials and programs. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import type { Git } from '../git.ts';

/** Keys that are copied. Git reports keys in lower case, but for the part between the dots. */
const COPIED: readonly RegExp[] = [
  /^user\.(name|email)$/,
  /^init\.defaultbranch$/,
  /^core\.(autocrlf|eol|safecrlf|ignorecase|precomposeunicode|symlinks|filemode|quotepath|whitespace|abbrev|longpaths)$/,
  /^(color|column|status|advice|diff\.wserrorhighlight|versionsort)(\.[^.]+)+$/,
  /^diff\.(algorithm|renames|mnemonicprefix|colormoved|context|noprefix)$/,
  /^merge\.(conflictstyle|ff|renames)$/,
  /^(pull|rebase|rerere)\.[^.]+$/,
  /^push\.(default|autosetupremote|followtags)$/,
  /^fetch\.(prune|prunetags)$/,
  /^commit\.(verbose|cleanup)$/,
  /^branch\.(sort|autosetuprebase|autosetupmerge)$/,
  /^(log|tag)\.(date|decorate|abbrevcommit|sort)$/,
  /^safe\.directory$/,
];
/** `!` starts a command. */
const RUNS = /^\s*!/;

/**
 * Writes the copied settings to `file`. Returns whether there are any. `home`: the person's home folder, whose settings are
 * read by git itself, without those that they include.
 */
export async function writeGitSettings(git: Git, home: string, file: string): Promise<boolean> {
  const lines: string[] = [];
  for (const source of [join(home, '.config/git/config'), join(home, '.gitconfig')]) {
    if (!(await stat(source).catch(() => null))?.isFile()) continue;
    for (const setting of (await git.listSettings(source)) ?? []) {
      const [key = '', ...value] = setting.split('\n');
      if (COPIED.some((pattern) => pattern.test(key)) && !RUNS.test(value.join('\n')))
        lines.push(formatSetting(key, value.length === 0 ? 'true' : value.join('\n')));
    }
  }
  if (lines.length === 0) return false;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeAtomically(file, lines.join(''), { sync: false });
  return true;
}

function formatSetting(key: string, value: string): string {
  const [section = '', ...rest] = key.split('.');
  const name = rest.pop() ?? '';
  const subsection = rest.length === 0 ? '' : ` ${quote(rest.join('.'))}`;
  return `[${section}${subsection}]\n\t${name} = ${quote(value)}\n`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
}
