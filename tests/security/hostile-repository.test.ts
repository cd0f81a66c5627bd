/** A repository whose settings, hooks and attributes name programs: Triad reads it, and none of them runs. */
import { execFile } from 'node:child_process';
import { access, appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ShadowRepository } from '#core/workspace/shadow-repository.ts';
import { Git } from '#core/workspace/git.ts';
import { readRepositoryState } from '#core/workspace/repository-state.ts';
import { type Harness, startEngine } from '../support/engine.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { hasGit } from '../support/kept-place.ts';
import { folderWith, workspaceIn } from '../support/workspace.ts';
import { attack } from './attacks.ts';

const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
const git = (folder: string, ...args: string[]) =>
  promisify(execFile)('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { env });

const HOOKS = ['post-index-change', 'pre-commit', 'reference-transaction', 'post-checkout', 'fsmonitor-watchman'];

/** Returns settings of git that name a program for almost every operation. */
const composeSettings = (program: string): string => `
[core]
	fsmonitor = ${program}
	hooksPath = hostile-hooks
	pager = ${program}
	editor = ${program}
	askPass = ${program}
	sshCommand = ${program}
	gitProxy = ${program}
	alternateRefsCommand = ${program}
[filter "evil"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[diff]
	external = ${program}
[diff "evil"]
	textconv = ${program}
	command = ${program}
[merge "evil"]
	driver = ${program}
[gpg]
	program = ${program}
[commit]
	gpgSign = true
[log]
	showSignature = true
[credential]
	helper = ${program}
[alias]
	look = !${program}
	status = !${program}
`;

/** Turns a repository with one commit into a hostile one, whose programs create the file `canary`. */
async function plantPrograms(folder: string, canary: string): Promise<void> {
  const program = join(folder, 'program');
  await writeFile(program, `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
  const settings = composeSettings(program);
  await mkdir(join(folder, 'hostile-hooks'), { recursive: true });
  await mkdir(join(folder, '.git/hooks'), { recursive: true });
  for (const name of HOOKS)
    for (const at of ['hostile-hooks', '.git/hooks'])
      await writeFile(join(folder, at, name), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
  await writeFile(join(folder, '.gitattributes'), '* filter=evil diff=evil merge=evil\n');
  await mkdir(join(folder, '.git/info'), { recursive: true });
  await writeFile(join(folder, '.git/info/attributes'), '* filter=evil diff=evil merge=evil\n');
  await appendFile(join(folder, '.git/config'), `${settings}[include]\n\tpath = more-settings\n`);
  await writeFile(join(folder, '.git/more-settings'), settings);
}

const LINES = '1\n2\n3\n4\n5\n6\n';

/** Makes a repository with one commit. */
async function makeRepository(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '-q', '-b', 'main', '--template=');
  await writeFile(join(folder, 'a.txt'), LINES);
  await git(folder, 'add', 'a.txt');
  await git(folder, 'commit', '-qm', 'One');
}

/** Makes a hostile submodule, whose files git compares with its settings. */
async function addSubmodule(folder: string, canary: string): Promise<void> {
  await makeRepository(join(folder, 'sub'));
  await git(folder, 'add', 'sub');
  await git(folder, 'commit', '-qm', 'Two');
  await plantPrograms(join(folder, 'sub'), canary);
}

type Plant = (folder: string, canary: string) => Promise<void>;

const HOSTILE: Readonly<Record<string, Plant>> = {
  'programs in the settings': plantPrograms,
  'a submodule with programs': addSubmodule,
  'a work tree elsewhere': async (folder, canary) => {
    await plantPrograms(folder, canary);
    await appendFile(join(folder, '.git/config'), '[core]\n\tworktree = /etc\n');
  },
  'a folder that is a bare repository': async (folder, canary) => {
    await plantPrograms(folder, canary);
    await cp(join(folder, '.git'), folder, { recursive: true });
    await rm(join(folder, '.git'), { recursive: true });
    await appendFile(join(folder, 'config'), '[core]\n\tbare = false\n\tworktree = .\n');
  },
  'a git directory elsewhere': async (folder, canary) => {
    await plantPrograms(folder, canary);
    await cp(join(folder, '.git'), join(folder, 'other'), { recursive: true });
    await rm(join(folder, '.git'), { recursive: true });
    await writeFile(join(folder, '.git'), `gitdir: ${folder}/other\n`);
  },
  'settings elsewhere': async (folder, canary) => {
    await plantPrograms(folder, canary);
    await cp(join(folder, '.git'), join(folder, 'other'), { recursive: true });
    await writeFile(join(folder, '.git/commondir'), '../other\n');
  },
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Opens a conversation in the folder, runs a command with its snapshots, lists, undoes and redoes the changes, and tries a commit. */
async function useFolder(engine: Harness): Promise<string> {
  const { runtime, folder, conversationId, model } = engine;
  expect((await engine.ask('Work')).outcome).toBe('completed');
  const changes = await runtime.request('change.list', { conversationId });
  const { runId, toolCallId } = changes.find(({ files }) => files.some(({ path }) => path === 'a.txt'))!;
  const target = { runId, toolCallId, path: 'a.txt' };
  await runtime.request('change.diff', { conversationId, ...target });
  // Git merges the undo with this change.
  await writeFile(join(folder, 'a.txt'), `first\n${LINES}last\n`);
  const [undone] = await runtime.request('change.undo', { conversationId, target });
  expect(undone?.outcome).toBe('merged');
  await runtime.request('change.undo', { conversationId, target, redo: true });
  // Without the hash of its programs, a commit runs none of them.
  const commit = { conversationId, message: 'Work', paths: ['a.txt'] };
  await runtime.request('change.commit', commit).catch(() => undefined);
  await runtime.request('change.preview-commit', { conversationId }).catch(() => undefined);
  return model.requests[0]?.seen.system ?? '';
}

attack(
  'a repository whose settings, hooks and filters name programs',
  async () => {
    for (const [name, plant] of Object.entries(HOSTILE)) {
      const canary = join(await folderWith(), 'canary');
      const script = new Script().step([toolUse('bash', { command: 'echo last >> a.txt' })]);
      const engine = await startEngine(script.step([text('Done.')]), { settings: '[permissions]\nmode = "auto"\n' });
      await makeRepository(engine.folder);
      await plant(engine.folder, canary);
      const system = await useFolder(engine);
      expect([name, await exists(canary)]).toEqual([name, false]);
      expect(system).toMatch(name === 'a folder that is a bare repository' ? /Git: not a repo/ : /Git: branch main/);
      // The programs run in an ordinary git.
      await git(engine.folder, 'status').catch(() => undefined);
      expect([name, await exists(canary)]).toEqual([name, true]);
      await engine.runtime.close();
    }
  },
  hasGit,
);

test.runIf(hasGit)('a snapshot compares no submodule that its repository lists', async () => {
  const [folder, shadow, canary] = [await folderWith(), await folderWith(), join(await folderWith(), 'canary')];
  await makeRepository(join(folder, 'sub'));
  const { stdout: commit } = await git(join(folder, 'sub'), 'rev-parse', 'HEAD');
  await plantPrograms(join(folder, 'sub'), canary);
  const repository = new ShadowRepository(shadow, new Git(process.env), workspaceIn(folder));
  await repository.prepare();
  const entry = `160000,${commit.trim()},sub`;
  await git(folder, `--git-dir=${shadow}`, `--work-tree=${folder}`, 'update-index', '--add', '--cacheinfo', entry);
  await repository.look();
  expect(await exists(canary)).toBe(false);
});

test.runIf(hasGit)('reads no objects from another repository named in alternates', async () => {
  const [folder, other] = [await folderWith(), await folderWith()];
  for (const path of [folder, other]) await makeRepository(path);
  const program = new Git(process.env);
  expect(await readRepositoryState(folder, program)).toEqual({ branch: 'main', isClean: true });
  await mkdir(join(folder, '.git/objects/info'), { recursive: true });
  await writeFile(join(folder, '.git/objects/info/alternates'), join(other, '.git/objects'));
  expect(await readRepositoryState(folder, program)).toEqual({ branch: 'main', isClean: null });
});
