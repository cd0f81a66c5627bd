/** Runs options of git that rules allow with a canary program as their value: none of them starts it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judge } from '#core/approvals/judge.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { bashTools } from '#core/tools/bash.ts';
import type { Workspace } from '#core/workspace/reach.ts';
import { GIT_OPTIONS } from '#core/workspace/shell/git-options.ts';
import type { ShellHost } from '#core/workspace/shell/run-shell.ts';
import { actionOf, NOW } from '../core/approvals/support.ts';
import { fullTest, TEST_SEED, variations } from '../support/samples.ts';
import { folderWith } from '../support/workspace.ts';

const [bash] = bashTools({} as ShellHost);

/** Returns the verdict on the line under a rule of the settings file. */
async function decide(line: string, pattern: string, effect: 'allow' | 'deny' = 'allow'): Promise<string> {
  const text = `[[permissions.rules]]\neffect = "${effect}"\ntool = "bash"\npattern = ${JSON.stringify(pattern)}\n`;
  const rules = parseRules(text, 'config.toml', 'user');
  const targets = (await bash!.targets!({ command: line }, {} as Workspace)) ?? null;
  const action = actionOf({ tool: 'bash', permissions: ['Execute', 'FilesystemWrite'], targets });
  return judge(action, rules, [], NOW).effect;
}

/** In no repository: `git bisect -h` starts a bisection. */
const OUTSIDE = { cwd: tmpdir(), encoding: 'utf8', input: '' } as const;
const git = (args: readonly string[], cwd?: string): string =>
  spawnSync('git', args, { cwd, encoding: 'utf8', input: '' }).stdout;

/** A repository with a remote, two branches, a stash, a staged change and an unstaged one; beside it the canary. */
class Scratch {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly canary: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#environment = {
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      GIT_EDITOR: ':',
      GIT_TERMINAL_PROMPT: '0',
      FILTER_BRANCH_SQUELCH_WARNING: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    this.canary = join(folder, 'canary');
    writeFileSync(this.canary, `#!/bin/sh\necho ran >> ${this.#mark}\n`);
    chmodSync(this.canary, 0o755);
    const script = `git init -q -b main && git add a.txt && git commit -qm one && git checkout -qb side && echo b > b.txt &&
      git add b.txt && git commit -qm two && git checkout -q main && git clone -q --bare . ../origin.git &&
      git remote add origin ../origin.git && echo c > c.txt && git add c.txt && git stash -q && echo d > d.txt &&
      git add d.txt && echo e >> a.txt`;
    execFileSync('bash', ['-c', script], { cwd: join(folder, 'work'), env: this.#environment, stdio: 'pipe' });
  }

  /** Runs the lines without a sandbox, in one copy of the repository. Returns those that start the canary. */
  findStarts(lines: readonly string[]): string[] {
    const copy = join(this.#folder, 'copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(this.#folder, 'work'), copy, { recursive: true });
    return lines.filter((line) => this.#startsCanary(line, copy));
  }

  #startsCanary(line: string, cwd: string): boolean {
    for (const path of [this.#mark, join(this.#folder, 'out')]) rmSync(path, { recursive: true, force: true });
    const options = { cwd, env: this.#environment, stdio: 'ignore', timeout: 10_000 } as const;
    spawnSync('bash', ['--norc', '-c', line], options);
    return existsSync(this.#mark);
  }

  get #mark(): string {
    return join(this.#folder, 'mark');
  }
}

const newScratch = async (): Promise<Scratch> =>
  new Scratch(await folderWith({ 'work/a.txt': 'a\n', 'home/.gitconfig': '' }));

/** Arguments with which a command gets as far as using its options. */
const ARGUMENTS: Record<string, string> = {
  commit: '-m x',
  merge: 'side',
  rebase: 'side',
  fetch: 'origin',
  push: 'origin main',
  pull: 'origin side',
  clone: '. ../out',
  grep: 'a',
  revert: 'HEAD',
  'cherry-pick': 'side',
  'ls-remote': 'origin',
  blame: 'a.txt',
  'cat-file': 'HEAD',
  tag: 'v1',
  branch: 'other',
  checkout: 'side',
  switch: 'side',
  archive: 'HEAD',
  stash: '',
};

interface GitOption {
  command: string;
  option: string;
}

/** Returns the options of a command that the installed git names, with their dashes. */
function readOptions(command: string): string[] {
  const words = command.split(' ');
  const { stdout, stderr } = spawnSync('git', [...words, '-h'], { ...OUTSIDE, timeout: 10_000 });
  const completed = git([...words, '--git-completion-helper-all']).split(/\s+/);
  const long = [...completed, ...`${stdout}${stderr}`.split(/[^\w-]+/)].filter((word) => /^--[a-z][\w-]+$/.test(word));
  const short = [...`${stdout}${stderr}`.matchAll(/(?<![\w-])-[A-Za-z0-9](?![\w-])/g)].map(([option]) => option);
  return [...new Set([...long, ...short, ...(GIT_OPTIONS.get(command)?.keys() ?? [])])].filter((one) => one !== '-#');
}

const listCommands = (): string[] => [
  ...new Set([...git(['--list-cmds=main,others,alias,nohelpers']).split(/\s+/).filter(Boolean), ...GIT_OPTIONS.keys()]),
];

/** Returns the lines that give the canary to the option, and to abbreviations of the option. */
function linesWith({ command, option }: GitOption, canary: string): string[] {
  const more = ARGUMENTS[command] ?? '';
  const isLong = option.startsWith('--');
  const values = [`${option}${isLong ? '=' : ''}${canary}`, `${option} ${canary}`];
  const short = isLong ? [option.slice(0, -1), option.slice(0, 5)].map((name) => `${name}=${canary}`) : [];
  const forms = [...values, ...short];
  return forms.map((form) => `git ${command} ${form} ${more}`.trim());
}

/** Returns the lines that a rule for the command allows, and of these the ones that start the canary. */
async function tryOptions(options: readonly GitOption[]): Promise<{ allowed: string[]; started: string[] }> {
  const scratch = await newScratch();
  const lines = options.flatMap((option) => linesWith(option, scratch.canary));
  const allowed: string[] = [];
  for (const line of lines) if ((await decide(line, `git ${line.split(' ')[1]} *`)) === 'allow') allowed.push(line);
  const byCommand = Object.values(Object.groupBy(allowed, (line) => line.split(' ')[1]!));
  return { allowed, started: byCommand.flatMap((some) => scratch.findStarts(some!)) };
}

/** Each of them starts the canary in the scratch repository. */
const STARTS = [
  "git -c alias.x='!CANARY' x",
  'git -c core.fsmonitor=CANARY status',
  'git stash -q; git rebase -f --root -x CANARY',
  'git stash -q; git rebase -f --exec=CANARY --root',
  'git stash -q; git rebase -f --root --exe CANARY',
  'git grep -OCANARY a',
  'git grep --open-files-in-pager=CANARY a',
  'git grep --open=CANARY a',
  'git fetch --upload-pack=CANARY origin',
  'git fetch --upload-p CANARY origin',
  'git push --receive-pack=CANARY origin main',
  'git push --exec CANARY origin main',
  'git ls-remote --upload-pack CANARY origin',
  'git clone -u CANARY ../origin.git ../out',
  'git clone -c core.sshCommand=CANARY a:b ../out',
  'git difftool -y -x CANARY',
  'git difftool --extcmd=CANARY -y HEAD',
  'git stash -q; git filter-branch -f --msg-filter CANARY',
  "git -c protocol.ext.allow=always fetch 'ext::CANARY'",
  "git config alias.x '!CANARY'; git x",
  'git config gpg.program CANARY; git commit --allow-empty -m x --gpg-sign',
  'git config gpg.program CANARY; git commit --allow-empty -m x -S',
  'git config diff.external CANARY; git log -p --ext-diff',
] as const;

test('rules with wildcards allow no line that starts a program', async () => {
  const scratch = await newScratch();
  for (const line of STARTS) {
    const command = line.replaceAll('CANARY', scratch.canary);
    expect([line, await decide(command, 'git *')]).toEqual([line, 'ask']);
  }
});

test('the scratch repository detects each line that starts a program', async () => {
  const scratch = await newScratch();
  const lines = variations(STARTS, 5).map((line) => line.replaceAll('CANARY', scratch.canary));
  expect(lines.flatMap((line) => scratch.findStarts([line]))).toEqual(lines);
});

/** Commands whose options are tried in `npm test`, besides a sample of all others. */
const DANGEROUS = ['grep', 'rebase', 'fetch'];

test('options that a rule for a command allows start no program', async () => {
  const all = listCommands();
  const sample = fc.sample(fc.constantFrom(...all), { numRuns: 4, seed: Number(TEST_SEED) });
  const options = [...DANGEROUS, ...sample].flatMap((command) =>
    readOptions(command).map((option) => ({ command, option })),
  );
  const tried = fc.sample(fc.shuffledSubarray(options, { minLength: 40, maxLength: 40 }), {
    numRuns: 1,
    seed: Number(TEST_SEED),
  });
  const { allowed, started } = await tryOptions(tried[0]!);
  expect(started).toEqual([]);
  expect(allowed.length).toBeGreaterThan(5);
});

/** Each full run tries one of so many parts of all options. `TEST_SEED` chooses it. */
const PARTS = 8;

fullTest('tests/security/git-options.test.ts › options that a rule for a command allows start no program')(
  'no option of any command of git that a rule for the command allows starts a program',
  async () => {
    const options = listCommands().flatMap((command) => readOptions(command).map((option) => ({ command, option })));
    expect(options.length).toBeGreaterThan(1500);
    const part = options.filter((_, at) => at % PARTS === Number(TEST_SEED) % PARTS);
    const { allowed, started } = await tryOptions(part);
    expect(started).toEqual([]);
    expect(allowed.length).toBeGreaterThan(500 / PARTS);
  },
);

test('the table agrees with git about the options that need a value', () => {
  const wrong = [...GIT_OPTIONS].flatMap(([command, options]) => {
    const { stdout, stderr } = spawnSync('git', [...command.split(' '), '-h'], OUTSIDE);
    const usage = [...`${stdout}${stderr}`.matchAll(/^ +(-\w, )?(--[\w-]+|-\w) <[^\n]*/gm)];
    const needed = usage.flatMap(([, short, long]) => [short?.slice(0, 2), long]);
    // At the end of a line these two need no value.
    const isWrong = (one = ''): boolean =>
      ['no', 'attached'].includes(options.get(one) ?? '') && !/(contains|merged)$/.test(one);
    return needed.filter(isWrong).map((one) => `${command} ${one}`);
  });
  expect(wrong).toEqual([]);
});

test.each([
  'git commit -m x',
  'git commit -am "x y"',
  'git commit --amend --no-edit',
  'git commit -q --message="x $Y" -- a.txt',
  'git commit --allow-empty -m x -m y',
  'git commit -F msg.txt',
  'git log',
  'git log --oneline -5',
  'git log -p -- src',
  'git log -n 3 --stat',
  'git log --since="2 weeks ago" --author a --graph --all',
  "git log --pretty=format:'%h %s' main..HEAD",
  'git log -S "std::string" -- "*.ts"',
  'git log -L 1,5:a.txt',
  'git show HEAD~1 --name-only',
  'git show HEAD:a.txt',
  'git diff',
  'git diff --stat HEAD~1',
  'git diff --cached -U5 -w a.txt src/*.ts',
  'git diff main...side --name-status --diff-filter=AM',
  'git status',
  'git status -sb -uno',
  'git status --porcelain=v2 --branch',
  'git add .',
  'git add -A',
  'git add a.txt src/*.ts',
  'git add -- *.ts',
  'git checkout -b x',
  'git checkout side -- a.txt',
  'git checkout -q -f main',
  'git switch -c x',
  'git switch -',
  'git restore --staged a.txt',
  'git restore -s HEAD~1 a.txt',
  'git branch -vv',
  'git branch -D x',
  'git branch --list "x*" --sort=-committerdate',
  'git branch -u origin/main',
  'git tag -a v1 -m "x y"',
  'git tag -l "v*" -n3',
  'git stash',
  'git stash -u',
  'git stash push -u -m x',
  'git stash pop --index',
  'git stash list --oneline',
  'git stash show -p "stash@{1}"',
  'git fetch --prune origin',
  'git fetch --depth 1 origin main',
  'git pull --rebase --autostash origin main',
  'git push -u origin x',
  'git push --tags origin',
  'git merge --no-ff side -m x',
  'git merge --abort',
  'git rebase --onto main side x',
  'git rebase --continue',
  'git cherry-pick -x abc123',
  'git revert --no-edit HEAD',
  'git reset --hard HEAD~1',
  'git rm -r --cached a',
  'git mv -f a b',
  'git clean -fd -e keep',
  'git grep -n "foo bar" -- src',
  'git grep -E -C 2 "a|b"',
  'git blame -L 10,20 -w a.txt',
  'git rev-parse --abbrev-ref HEAD',
  'git rev-parse --show-toplevel',
  'git ls-files -o --exclude-standard',
  'git ls-remote --heads origin',
  'git worktree add -b x ../y main',
  'git config --get user.name',
  'git remote -v',
  'git remote add up https://a.b/c.git',
  'git submodule update --init --recursive',
  'git clone --depth 1 https://a.b/c.git',
  'git describe --tags --always',
  'git --no-pager log -3',
])('a rule for the command allows %j', async (line) => {
  const verb = line.replace(' --no-pager', '').split(' ')[1]!;
  expect(await decide(line, `{git ${verb},git ${verb} *}`)).toBe('allow');
});

test.each([
  ['git commit --amen -m x', 'abbreviates an option'],
  ['git commit --unknown', 'has an unknown option'],
  ['git commit -aSm x', 'has an unknown letter among others'],
  ['git commit -m', 'lacks the value'],
  ['git commit -m -S', 'has an option as the value'],
  ['git commit --amend=x', 'gives a value to an option without one'],
  ['git log --oneline a --output=b', 'has an option behind an argument'],
  ['git add *', 'has a wildcard that may become an option'],
  ['git diff --stat -- *', 'has a wildcard behind a mark that may be the value of an option'],
  ['git add "$X"', 'has an expansion that may become an option'],
  ['git add a$X', 'has an expansion that may become several words'],
  ['git log --format=$X', 'has an option that may become several words'],
  ['git -C a log', 'has an option before the command'],
  ['git x', 'may be an alias'],
  ['git stash x', 'has an unknown action'],
  ['git remote -v update', 'has an action behind an option'],
  ['git config user.name a', 'writes a setting'],
  ['git fetch ext::a', 'has an address that runs a program'],
])('a rule for %j does not allow a command that %s', async (line) => {
  expect(await decide(line, '{git,git *}')).toBe('ask');
  expect(await decide(line, line.replaceAll(/[\\*]/g, '\\$&'))).toBe('allow');
});
