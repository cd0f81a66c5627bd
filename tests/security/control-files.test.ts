/** Files that a command plants to start programs outside the sandbox: none runs before an answer. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bashJobs } from '#core/tools/bash-jobs.ts';
import { RunShell, ShellHost } from '#core/workspace/shell/run-shell.ts';
import type { ApprovalRequest } from '#contract/approval.ts';
import { skipped, words } from '../core/workspace/shell/support.ts';
import { workspacesBeside } from '../support/compose.ts';
import { type HarnessOptions, startEngine } from '../support/engine.ts';
import { type Block, Script, text, toolUse } from '../support/fake-model/script.ts';
import { eventually } from '../support/eventually.ts';
import { call, contextIn, contextWith, folderWith } from '../support/workspace.ts';

const run = promisify(execFile);
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
/** Runs git outside the sandbox, as the person does in a terminal. */
const git = (folder: string, ...args: string[]) => run('git', ['-C', folder, ...args], { env });
const AUTO = '[permissions]\nmode = "auto"\n';
const bash = (command: string, more: Record<string, unknown> = {}) => toolUse('bash', { command, ...more });

/** An agent that makes these calls in mode `auto`, in a repository with one commit. The person rejects control files. */
async function startWork(calls: readonly Block[], options: HarnessOptions & { keeps?: boolean } = {}) {
  const { keeps = false, ...more } = options;
  const script = new Script();
  for (const [index, call] of calls.entries()) script.on({ step: index + 1 }).reply([call]);
  script.on({}).reply([text('Done.')]);
  const questions: ApprovalRequest[] = [];
  const engine = await startEngine(script, {
    settings: AUTO,
    person: ({ request }) => {
      if (request.subject.kind === 'control-files') questions.push(request);
      else return { kind: 'allow', ...(request.reversible ? {} : { confirmed: true }) };
      return keeps ? { kind: 'allow' } : { kind: 'reject', reason: '' };
    },
    ...more,
  });
  await git(engine.folder, 'init', '-q');
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  await git(engine.folder, ...person, 'commit', '-q', '--allow-empty', '-m', 'first');
  const changes = (): string[] =>
    questions.flatMap(({ subject }) =>
      subject.kind === 'control-files' ? subject.files.map(({ path, change }) => `${change} ${path}`) : [],
    );
  const outputs = () => engine.of('tool-end').map(({ entry }) => entry.output);
  return { engine, folder: engine.folder, questions, changes, outputs };
}

/** Settings of git that run a program with almost every command. */
const evil = (file: string) => `printf '[core]\\n\\tfsmonitor = "touch $PWD/ran; false"\\n' >> ${file}`;

/** A command that plants a program, and the change that is reported. */
const PLANTED: Readonly<Record<string, [command: string, change: string]>> = {
  'settings of a repository': [`git init -q settings; ${evil('settings/.git/config')}`, 'added settings/.git/config'],
  'a hook': [
    'git init -q hook; echo "touch $PWD/ran" > hook/.git/hooks/post-checkout; chmod +x hook/.git/hooks/post-checkout',
    'added hook/.git/hooks/post-checkout',
  ],
  'settings elsewhere': [
    `cp -r .git copy; rm copy/config; ${evil('copy/config')}; echo "$PWD/copy" > .git/commondir`,
    'added .git/commondir',
  ],
  'a bare repository': [
    `mkdir -p bare/objects bare/refs; echo 'ref: refs/heads/main' > bare/HEAD; ${evil('bare/config')}`,
    'added bare/config',
  ],
  'a pointer to a repository': [`mkdir pointer; echo 'gitdir: ../nowhere' > pointer/.git`, 'added pointer/.git'],
  'a link to a repository': ['mkdir link; ln -s ../nowhere link/.git', 'added link/.git'],
  'settings of a worktree': [evil('.git/config.worktree'), 'added .git/config.worktree'],
  'settings of a submodule': [
    `mkdir -p .git/modules/a/b; cp .git/HEAD .git/modules/a/b; ${evil('.git/modules/a/b/config')}`,
    'added .git/modules/a/b/config',
  ],
  attributes: ['mkdir -p .git/info; echo "* filter=x" > .git/info/attributes', 'added .git/info/attributes'],
  'an entry that git does not use': ['mkdir .git/own; echo x > .git/own/x', 'added .git/own'],
  'a server': ['echo "{}" > .mcp.json', 'added .mcp.json'],
  'settings of an agent': ['mkdir .claude; echo "{}" > .claude/settings.json', 'added .claude/settings.json'],
  'other objects': [
    'mkdir -p .git/objects/info; echo /x > .git/objects/info/alternates',
    'added .git/objects/info/alternates',
  ],
};
const plantAll = Object.values(PLANTED)
  .map(([command]) => `(${command})`)
  .join('\n');

const listFiles = async (folder: string): Promise<string[]> => (await readdir(folder, { recursive: true })).sort();

describe.skipIf(skipped)(`control files that a command plants (${words})`, () => {
  test('are restored after a rejection, and git then starts no planted program', async () => {
    const { engine, folder, changes, outputs, questions } = await startWork([bash(plantAll), bash('ls')]);
    expect((await engine.ask('Work')).outcome).toBe('completed');
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({ risk: 'high', during: true });
    expect(changes()).toEqual(expect.arrayContaining(Object.values(PLANTED).map(([, change]) => change)));
    const [, movedTo = ''] =
      /put back as before the command: .*the changed versions are in (.*)\)/.exec(outputs()[0]!) ?? [];
    expect(await listFiles(movedTo)).toEqual(
      expect.arrayContaining(['.git/commondir', '.mcp.json', 'hook/.git/hooks/post-checkout']),
    );
    expect(await readFile(join(movedTo, 'settings/.git/config'), 'utf8')).toContain('fsmonitor');
    for (const place of ['', 'settings', 'hook', 'bare', 'pointer', 'link'])
      await git(join(folder, place), 'status').catch(() => undefined);
    await git(join(folder, 'hook'), 'checkout', '-q', '--orphan', 'x').catch(() => undefined);
    expect((await listFiles(folder)).filter((path) => /(^|\/)ran$/.test(path))).toEqual([]);
    expect((await git(folder, 'log', '--oneline')).stdout).toContain('first');
  });

  test('are kept after approval, without a second question', async () => {
    const { engine, folder, questions, outputs } = await startWork([bash('echo "{}" > .mcp.json'), bash('touch b')], {
      keeps: true,
    });
    expect((await engine.ask('Work')).outcome).toBe('completed');
    expect(questions).toHaveLength(1);
    expect(await readFile(join(folder, '.mcp.json'), 'utf8')).toBe('{}\n');
    expect(outputs()[0]).not.toContain('put back');
  });

  test('are restored if no approval is possible', async () => {
    const { engine, folder, outputs } = await startWork([
      bash('echo "{}" > .mcp.json; mkdir -p a/.git/hooks; echo x > a/.git/hooks/y'),
    ]);
    await engine.ask('Work', 'none');
    expect(outputs()[0]).toContain('put back as before the command: .mcp.json, a/.git/hooks/y');
    expect(await readdir(folder)).not.toContain('.mcp.json');
  });

  test('are restored with approve all, and the decision is recorded as a rejection', async () => {
    const { engine, folder, outputs } = await startWork([bash('echo "{}" > .mcp.json; echo x > b')]);
    await engine.ask('Work', 'all');
    expect(await readdir(folder)).not.toContain('.mcp.json');
    expect(engine.of('approval-decide').at(-1)?.decision).toMatchObject({ allowed: false, ruleId: 'approve:all' });
    expect(outputs()[0]).toMatch(
      /^\[exit code 0]\n\[files changed: b]\n\[put back as before the command: \.mcp\.json /,
    );
    expect(engine.of('tool-end')[0]?.entry.metadata).not.toHaveProperty('also');
  });

  test('cannot be committed before the approval, and are restored by a stop', async () => {
    const { engine, folder } = await startWork([bash('echo "{}" > .mcp.json')], {
      person: () => null,
    });
    const { workflowId } = await engine.send('Work');
    await engine.event('approval-request', ({ approval }) => approval.subject.kind === 'control-files');
    const { conversationId } = engine;
    const commit = engine.runtime.request('change.commit', { conversationId, message: 'x', paths: ['.mcp.json'] });
    await expect(commit).rejects.toThrow(/^Answer the question about changed files first/);
    await engine.runtime.request('workflow.stop', { workflowId });
    await engine.ended(workflowId);
    expect(await readdir(folder)).not.toContain('.mcp.json');
  });

  test('are put back and reported at the end of a command in the background', async () => {
    const folder = await folderWith();
    const host = new ShellHost(process.env, workspacesBeside(folder));
    const commands = new RunShell(host, await folderWith(), AbortSignal.timeout(60_000));
    onTestFinished(() => commands.end());
    const context = contextWith(contextIn(folder), { shell: { commands } });
    const command = { command: 'echo "{}" > .mcp.json', network: false, write: 'files', timeoutMs: 30_000 } as const;
    const where = { workspace: context.workspace, folder, saidIn: null };
    await commands.start({ ...command, ...where }, context.call.origin);
    const list = (): Promise<string> => call(bashJobs, { action: 'list' }, context).then(({ output }) => output);
    await eventually(async () => expect(await list()).toContain('exit code 0'));
    expect(await list()).toContain('(put back as before the command: .mcp.json)');
    expect(await readdir(folder)).not.toContain('.mcp.json');
  });

  test('are put back if the changes of the command cannot be stored', async () => {
    const { engine, folder, changes, outputs } = await startWork([
      bash('echo "{}" > .mcp.json; while ! test -e go; do sleep 0.05; done'),
    ]);
    const { workflowId } = await engine.send('Work');
    await eventually(async () => expect(await readdir(folder)).toContain('.mcp.json'));
    await rm(join(`${folder}-data`, 'snapshots'), { recursive: true });
    await writeFile(join(`${folder}-data`, 'snapshots'), '');
    await writeFile(join(folder, 'go'), '');
    await engine.ended(workflowId);
    expect(outputs()[0]).not.toContain('exit code');
    expect(changes()).toEqual(['added .mcp.json']);
    expect(await readdir(folder)).not.toContain('.mcp.json');
  });

  test('are kept after approval despite a deny rule for commands', async () => {
    const rule = '[[permissions.rules]]\neffect = "deny"\ntool = "bash"\npattern = "rm *"\n';
    const files = { 'config.toml': `${AUTO}${rule}` };
    const { engine, folder, questions } = await startWork([bash('echo "{}" > .mcp.json')], { files, keeps: true });
    await engine.ask('Work');
    expect(questions).toHaveLength(1);
    expect(await readdir(folder)).toContain('.mcp.json');
  });

  test('are restored although all approvals are automatic', async () => {
    const { engine, folder, outputs } = await startWork([bash('echo "{}" > .mcp.json')]);
    await engine.ask('Work', 'all');
    expect(outputs()[0]).toContain('put back as before the command: .mcp.json');
    expect(await readdir(folder)).not.toContain('.mcp.json');
  });

  test('are asked about before the next command if the program was killed', async () => {
    const { engine, folder, changes, outputs } = await startWork([bash('cat .mcp.json')]);
    const killed = workspacesBeside(folder).controlFiles;
    await killed.beginCommand({ folder });
    await writeFile(join(folder, '.mcp.json'), 'planted');
    await engine.ask('Work');
    expect(changes()).toEqual(['added .mcp.json']);
    expect(outputs()[0]).toContain('No such file');
  });

  test('do not include other files that can run code, which the result names without approval', async () => {
    const command = 'echo "{}" > package.json; echo "all:" > Makefile; echo x > run; chmod +x run; echo y > plain.txt';
    const { engine, questions, outputs } = await startWork([bash(command)]);
    await engine.ask('Work');
    expect(questions).toEqual([]);
    expect(outputs()[0]).toContain('[can run code: Makefile, package.json, run]');
    const [row] = await engine.runtime.request('change.list', { conversationId: engine.conversationId });
    expect(row!.files.map(({ path, canRunCode = false }) => [path, canRunCode])).toEqual([
      ['Makefile', true],
      ['package.json', true],
      ['plain.txt', false],
      ['run', true],
    ]);
  });

  test('are not asked about if ordinary work of git writes them', async () => {
    const commands = [
      'git init -q new && git -C new config user.name x && git -C new remote add origin https://example.com/a.git',
      'git clone -q . copy && git -C copy checkout -q -b topic',
      'git worktree add -q -b other tree',
      'git -C tree -c user.name=a -c user.email=a@b commit -q --allow-empty -m second',
      'git -c user.name=a -c user.email=a@b -C new commit -q --allow-empty -m third',
      'git -c protocol.file.allow=always submodule add -q ./new sub',
      'git gc -q; git branch fourth; git tag v1; git stash list',
      'git worktree remove tree',
    ];
    const { engine, changes, outputs } = await startWork(commands.map((command) => bash(command)));
    await engine.ask('Work');
    expect(
      outputs()
        .slice(0, 5)
        .filter((output) => !output.includes('[exit code 0]')),
    ).toEqual([]);
    expect(changes()).toEqual([]);
  });
});
