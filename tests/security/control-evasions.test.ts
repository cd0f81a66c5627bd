/** Ways in which a command tries to hide a changed control file, or to make the question about it useless. */
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ControlFiles } from '#core/workspace/control/control-files.ts';
import { Git } from '#core/workspace/git.ts';
import { folderWith } from '../support/workspace.ts';

const run = promisify(execFile);
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
/** Runs a script as a command would, and as the person does in a terminal. `CACHES`: a folder outside that commands write. */
const bash = (folder: string, script: string, caches = '') =>
  run('bash', ['-ec', script], { cwd: folder, env: { ...env, CACHES: caches, WORK: folder } });

/** Settings of git that run a program with almost every command. */
const EVIL = String.raw`evil() { printf '[core]\n\tfsmonitor = "touch %s/ran; false"\n' "$WORK" >> "$1"; }`;

/** A workspace with one commit, in which these commands run, each with its own comparison. Returns the reported changes. */
async function report(
  commands: readonly string[],
  { folder: given, setup = '' }: { folder?: string; setup?: string } = {},
): Promise<{ changes: string[]; folder: string; controlFiles: ControlFiles; data: string }> {
  const folder = given ?? (await folderWith());
  const data = await folderWith();
  const caches = join(data, 'caches');
  await mkdir(caches);
  if (given === undefined) await bash(folder, 'git init -q; git commit -q --allow-empty -m first');
  await bash(folder, setup);
  const controlFiles = new ControlFiles(join(data, 'control-files'), new Git(process.env), caches);
  const changes: string[] = [];
  for (const command of commands) {
    await controlFiles.beginCommand({ folder });
    await bash(folder, `${EVIL}\n${command}`, caches);
    controlFiles.endCommand({ folder });
    await controlFiles.settle({ folder }, (found) => {
      changes.push(...found.map(({ path, change }) => `${change} ${path}`));
      return Promise.resolve('put_back');
    });
  }
  return { changes, folder, controlFiles, data };
}

const BARE = 'bare() { git init -q --bare "$1"; evil "$1/config"; }';
/** Commands, and one of the changes that they report. */
const HIDDEN: Readonly<Record<string, [commands: string[], change: string]>> = {
  'a repository around a folder that was moved to node_modules': [
    [
      `mkdir -p src/a node_modules; mv src node_modules; ln -s node_modules/src src; git init -q node_modules; evil node_modules/.git/config`,
    ],
    'added node_modules/.git/config',
  ],
  'a folder that became a link into a git directory': [
    [
      'mkdir -p src .git/lfs; mv src .git/lfs; ln -s .git/lfs/src src; git init -q .git/lfs/src; evil .git/lfs/src/.git/config',
    ],
    'added src',
  ],
  'a folder that became a link into a cache': [
    [
      'mkdir src; mv src "$CACHES"; ln -s "$CACHES" a; ln -s a/src src; git init -q "$CACHES/src"; evil "$CACHES/src/.git/config"',
    ],
    'added src',
  ],
  'a link that leads elsewhere later': [
    [
      'mkdir a; ln -s a/src src; mkdir a/src',
      'mv a "$CACHES"; ln -s "$CACHES/a" a; git init -q a/src; evil a/src/.git/config',
    ],
    'added src',
  ],
  'a pointer with a blank behind it': [
    [
      `mkdir -p sub '.git/modules/a/objects/.. '; git init -q --bare .git/modules/a; ${BARE}; bare '.git/modules/a/objects/.. '
      printf 'gitdir: ../.git/modules/a/objects/.. ' > sub/.git`,
    ],
    'added sub/.git',
  ],
  'a pointer whose target is moved later': [
    [
      'git init -q c; git -C c commit -q --allow-empty -m x; git -C c worktree add -q ../b',
      'mv c "$CACHES"; ln -s "$CACHES/c" c; evil c/.git/config',
    ],
    'changed b/.git',
  ],
  'a remote in a cache, whose hooks run for a push': [
    ['git init -q --bare "$CACHES/x"; git remote add origin "$CACHES/x"'],
    'changed .git/config',
  ],
  'a remote behind a link': [['ln -s "$CACHES" x; git remote add origin ./x/y'], 'changed .git/config'],
  'a remote of a branch': [['git config branch.main.remote "$CACHES/x"'], 'changed .git/config'],
  'a rebase with a program': [
    ['mkdir .git/rebase-merge; echo "exec touch ran" > .git/rebase-merge/git-rebase-todo'],
    'added .git/rebase-merge/git-rebase-todo',
  ],
  'a rebase with a strategy': [
    ['mkdir .git/rebase-merge; echo "a/b" > .git/rebase-merge/strategy'],
    'added .git/rebase-merge/strategy',
  ],
  'a cherry-pick with a strategy': [
    [String.raw`mkdir .git/sequencer; printf '[options]\n\tstrategy = a/b\n' > .git/sequencer/opts`],
    'added .git/sequencer/opts',
  ],
  'a pipe for which git waits': [['git init -q p; rm p/.git/HEAD; mkfifo p/.git/HEAD'], 'added p/.git/HEAD'],
  'an address in an old format': [
    ['mkdir -p .git/branches; echo "$CACHES/x" > .git/branches/o'],
    'added .git/branches/o',
  ],
};

describe('a hidden control file is reported', () => {
  test.each(Object.entries(HIDDEN))('of %s', async (_, [commands, change]) => {
    const { changes } = await report(commands);
    expect(changes).toContain(change);
  });

  test('in the repository around a workspace that became a repository', async () => {
    const top = await folderWith({ 'sub/a': '' });
    await bash(top, 'git init -q');
    const folder = join(top, 'sub');
    const { changes } = await report(['git init -q .; mkdir -p x; evil x/config; echo "$PWD/x" > ../.git/commondir'], {
      folder,
    });
    expect(changes).toEqual([`added ${join(top, '.git/commondir')}`]);
    expect(await readdir(join(top, '.git'))).not.toContain('commondir');
  });

  test.each([
    ['settings that a repository includes', 'git config include.path ../own.config; touch own.config', 'own.config'],
    ['hooks elsewhere', 'git config core.hooksPath .own/hooks; mkdir -p .own/hooks', '.own/hooks/pre-commit'],
  ])('of %s', async (_, setup, file) => {
    const { changes } = await report([`evil ${file}`], { setup });
    expect(changes).toEqual([expect.stringMatching(new RegExp(`^(added|changed) ${file}$`))]);
  });
});

test('ordinary links, remotes and rebases are not reported as hidden control files', async () => {
  const conflict = 'commit() { echo "$1" > f; git add f; git commit -q -m "$1"; }';
  const { changes } = await report([
    'mkdir -p node_modules/.bin a/b; ln -s ../../a/b node_modules/.bin/x; ln -s /usr/bin usr; ln -s nowhere n',
    'git remote add origin git@example.com:a/b.git; git remote set-url --push origin https://example.com/a',
    'git config branch.main.remote origin; git remote add self "$PWD"; git init -q new; git remote add new ./new',
    `${conflict}; commit 1; git checkout -q -b topic; commit 2; commit 3; git checkout -q -; commit 4
    git rebase -q HEAD topic || true; test -d .git/rebase-merge`,
    'git rebase --abort; git cherry-pick -X ours topic~1 topic || true; git cherry-pick --abort || true',
    'git rebase -q --exec true HEAD~1 || true',
  ]);
  expect(changes).toEqual([]);
});

test('a rebase with a program of the person can continue, but an added program is reported', async () => {
  const setup = 'mkdir .git/rebase-merge; printf "pick a\nexec make\npick b\n" > .git/rebase-merge/git-rebase-todo';
  const todo = '.git/rebase-merge/git-rebase-todo';
  const { changes } = await report([`sed -i 1d ${todo}`, `echo "exec touch ran" >> ${todo}`], { setup });
  expect(changes).toEqual([`changed ${todo}`]);
});

describe('a control file with an unusual path or type', () => {
  test.each([
    ['a name that is not UTF-8', String.raw`mkdir .claude; touch $'.claude/\xff'`, '.claude'],
    ['a folder with such a name', String.raw`mkdir -p $'a\xff/.git/hooks'; touch $'a\xff/.git/hooks/x'`, ''],
    [
      'a very long path',
      'for i in $(seq 19); do d=$(printf %0200d 0); mkdir $d; cd $d; done; mkdir -p .git/hooks; touch .git/hooks/x',
      '',
    ],
    ['a pipe', 'mkfifo .mcp.json', ''],
  ])('is reported and restored: %s', async (_, command) => {
    const { changes, controlFiles, folder } = await report([command]);
    expect(changes).toHaveLength(1);
    expect(changes.join('')).toSatisfy((text: string) => text.isWellFormed());
    await expect(controlFiles.ensureSettled({ folder })).resolves.toBeUndefined();
  });
});
