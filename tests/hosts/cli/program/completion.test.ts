/** Completion: what shells are offered is what the commands say of themselves, and a real shell gets it. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import { COMPILED } from '../../../support/compiled.ts';
import { CLI } from '../../../support/program.ts';
import { folderWith } from '../../../support/workspace.ts';
import { memoryIo } from '../../support/memory-io.ts';

const ID = '01a21864-bcbf-7000-b9d4-3d014d2351b3';
const session = (title: string) => JSON.stringify({ session_id: ID, title });
const FILES = {
  'sessions/2026-11-26-otters/metadata.json': session('Otters\u202e and\n herons'),
  'sessions/2026-11-27-broken/metadata.json': '{',
  'agents/hostile.md': '---\nname: "zed$(touch${IFS}it)"\ndescription: Runs\n---\nRun.\n',
  'agents/otter-watcher.md': '---\nname: otter-watcher\ndescription: Watches\n---\nWatch.\n',
};
let home = '';
beforeEach(async () => {
  home = await folderWith(FILES);
});
/** Nothing is asked of a program, and no store is opened. */
const client = { request: () => Promise.reject(new Error('asked')) } as unknown as Client;

async function printed(...argv: string[]): Promise<string> {
  const io = memoryIo({ client, env: { TRIAD_HOME: home, HOME: home }, folder: home });
  expect(await io.run(argv), io.err()).toBe(0);
  expect(io.opened).toEqual([]);
  return io.out();
}
const offered = async (...words: string[]) =>
  (await printed('complete', '--', ...words))
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');

/** The names of commands and the long options that the help of a command lists. */
async function helped(path: readonly string[]): Promise<{ commands: string[]; options: string[] }> {
  const help = await printed(...path, '--help');
  const [, list = ''] = help.split('\nCommands:\n');
  return {
    commands: [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name),
    options: [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = '']) => name),
  };
}

test('every command and every option that a help lists is offered', async () => {
  const visit = async (path: readonly string[]): Promise<number> => {
    const { commands, options } = await helped(path);
    expect(await offered(...path, '--'), path.join(' ')).toEqual(options);
    if (commands.length === 0) return 1;
    expect(await offered(...path, ''), path.join(' ')).toEqual(commands);
    const below = commands.filter((name) => name !== 'help').map((name) => visit([...path, name]));
    return (await Promise.all(below)).reduce((all, one) => all + one, 1);
  };
  expect(await visit([])).toBeGreaterThan(50);
});

test.for([
  [['ses'], ['sessions']],
  [['run', '--agent', 'otter'], ['otter-watcher']],
  [['agents', 'show', 'lea'], ['lead']],
  // What a shell would run is no name to be put onto its line.
  [['agents', 'show', 'zed'], ['']],
  [['agents', 'validate', 'otter'], ['otter-watcher']],
  [['agents', 'export', 'otter'], ['otter-watcher']],
  [
    ['agents', 'export', 'lead', '--format', 'c'],
    ['claude', 'codex'],
  ],
  [['agents', 'new', 'mine', '--from', 'plan'], ['planner']],
  [['sessions', 'agents', '--agent', 'otter'], ['otter-watcher']],
  [['sessions', 'show', ''], [ID]],
  [['sessions', 'export', '--format', 'md', '01a'], [ID]],
  [['run', '--json', '--conversation', ''], [ID]],
  [['config', 'get', 'limits.max_s'], ['limits.max_sub_agents']],
  [['config', 'set', 'limits.max_s'], ['limits.max_sub_agents']],
  [
    ['run', '--approve', ''],
    ['ask', 'all', 'none'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['run', '--', '--js'], ['']],
  [['sessions', 'say', ''], ['']],
] as const)('completes the command line: %j', async ([words, expected]) => {
  expect(await offered(...words)).toEqual(expected);
});

test('a session title is one line with hidden characters marked', async () => {
  expect(await printed('complete', '--', 'sessions', 'show', '')).toMatch(/^[\w-]+\tOtters\S+ and\S* herons\n$/);
  expect(await printed('complete', '--', 'sessions', 'show', '')).not.toContain('\u202e');
});

/** What a shell prints that has this program on its path, and the script of `completion` where `{}` stands. */
async function inShell(shell: string, script: string): Promise<string[]> {
  const place = await folderWith({ triad: `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n` });
  chmodSync(join(place, 'triad'), 0o755);
  const env = { PATH: `${place}:${process.env['PATH']}`, HOME: home, TRIAD_HOME: home, ...COMPILED };
  const { stdout, stderr } = spawnSync(shell, ['-c', script], { cwd: place, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

test.runIf(has('bash'))('bash', async () => {
  const ask = (words: string) =>
    `COMP_WORDS=(triad ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _triad; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `source <(triad completion bash); complete -p triad; ${ask('agents show otter')}; ${ask("sessions show ''")}`;
  expect(await inShell('bash', script)).toEqual(['complete -o default -F _triad triad', 'otter-watcher', ID]);
});

test.runIf(has('zsh'))('zsh', async () => {
  const shown = `compdef() { :; }; _describe() { eval 'print -l -- "\${'$2'[@]}"'; }; source <(triad completion zsh)`;
  const script = `${shown}; words=(triad agents show otter); CURRENT=4; _triad`;
  expect(await inShell('zsh', script)).toEqual(['otter-watcher:agent']);
});

test.runIf(has('fish'))('fish', async () => {
  expect(await inShell('fish', 'triad completion fish | source; complete -C "triad agents show otter"')).toEqual([
    'otter-watcher\tagent',
  ]);
});

test('a completion script requests the words from the program, and contains no command name', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await printed('completion', shell);
    expect(script).toContain('triad complete -- ');
    expect(script).not.toMatch(/sessions|agents|--json/);
  }
});
