/** `triad agents` on files with several faults, with keys of the person, with prompt files, and for other programs. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentReport } from '#contract/agent.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: Does ${name}\n${keys}---\nYou do it.\n`;

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A machine whose commands run here. */
async function here() {
  const home = await machine(plainAnswer());
  return { ...home, triad: inProcess(home, 'memory') };
}

test('validate suggests a name for each permission of one file in one pass, for people and programs', async () => {
  const { triad, home } = await here();
  await write(home, 'agents/bad.md', agent('bad', 'permissions: [ReadFilesystem, WriteDatabase]\ntools: [gerp]\n'));
  const { code, out } = await triad(['agents', 'validate', 'bad', '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    [
      {
        errors: [
          { line: 4, column: 15, key: 'permissions', suggestion: 'FilesystemRead' },
          { line: 4, column: 31, key: 'permissions', suggestion: 'DatabaseWrite' },
          { line: 5, column: 9, key: 'tools', suggestion: 'grep' },
        ],
      },
    ],
  ]);
  const said = (await triad(['agents', 'validate', 'bad'])).out;
  for (const meant of ['FilesystemRead', 'DatabaseWrite', 'grep']) expect(said).toContain(`did you mean \`${meant}\`?`);
});

test('validate reports an unknown provider and another fault in one pass', async () => {
  const { triad, home } = await here();
  await write(home, 'agents/bad.md', agent('bad', 'provider: nowhere\nmodle: x\n'));
  const [report] = JSON.parse((await triad(['agents', 'validate', 'bad', '--json'])).out) as AgentReport[];
  expect(report?.errors.map(({ key }) => key)).toEqual(['provider', 'modle']);
});

test('show prints the keys that begin with x-, for people and programs', async () => {
  const { triad, home } = await here();
  await write(home, 'agents/a.md', agent('a', 'x-owner: docs team\nx-links: {wiki: "https://example.org", n: 2}\n'));
  await write(home, 'agents/b.toml', 'name = "b"\ndescription = "d"\nprompt = "p"\nx-since = 2026-01-02\n');
  const { out } = await triad(['agents', 'show', 'a']);
  expect(out).toContain('x-owner             docs team\n');
  expect(out).toContain('x-links             {"wiki":"https://example.org","n":2}\n');
  expect(JSON.parse((await triad(['agents', 'show', 'a', '--json'])).out)).toMatchObject({
    extra: { 'x-owner': 'docs team', 'x-links': { wiki: 'https://example.org', n: 2 } },
  });
  expect((await triad(['agents', 'show', 'b'])).out).toContain('x-since             2026-01-02\n');
  expect((await triad(['agents', 'show', 'worker'])).out).not.toContain('\nx-');
});

test('export prints only the definition on stdout, and the lost keys on stderr', async () => {
  const { triad, home } = await here();
  await write(home, 'agents/a.md', agent('a', 'model: haiku\nmax_minutes: 5\nx-owner: me\n'));
  const made = await triad(['agents', 'export', 'a', '--format', 'claude']);
  expect([made.code, made.out]).toEqual([0, '---\nname: a\ndescription: Does a\nmodel: haiku\n---\n\nYou do it.\n']);
  expect(made.err).toBe(
    'Save it as .claude/agents/a.md.\nnot exported: max_minutes: Claude Code has no such key\nnot exported: x-owner: Claude Code has no such key\n',
  );
  for (const format of ['opencode', 'codex', 'goose'])
    expect((await triad(['agents', 'export', 'a', '--format', format])).out).toContain('You do it.');
  expect(JSON.parse((await triad(['agents', 'export', 'a', '--format', 'goose', '--json'])).out)).toMatchObject({
    format: 'goose',
    file: 'a.yaml',
    text: expect.stringContaining('goose_model: claude-haiku-5-5') as string,
    lost: [{ key: 'max_minutes' }, { key: 'x-owner' }],
  });
  expect((await triad(['agents', 'export', 'a'])).code).toBe(2);
  expect((await triad(['agents', 'export', 'a', '--format', 'vim'])).err).toContain('claude, opencode, codex, goose');
  expect((await triad(['agents', 'export', 'nobody', '--format', 'codex'])).code).toBe(2);
});

test('config reads and changes an agent whose prompt is in a separate file', async () => {
  const { triad, home } = await here();
  const toml =
    '# mine\n[agent]\nname = "base"\ndescription = "Leads"\nrole = "primary"\n\n[prompt]\nsystem = { file = "base" }\n';
  await write(home, 'agents/base.toml', toml);
  await write(home, 'prompts/system/base.md', 'You lead.\n');
  expect((await triad(['config', 'get', 'agents.base.role'])).out).toBe('primary\n');
  expect((await triad(['config', 'get', 'agents.base.prompt'])).out).toBe('You lead.\n');
  expect((await triad(['config', 'get', 'agents.base.prompt', '--show-origin'])).out).toContain(
    join(home, 'prompts/system/base.md'),
  );
  expect((await triad(['config', 'set', 'agents.base.prompt', 'You plan.'])).code).toBe(0);
  expect((await triad(['config', 'set', 'agents."base".max_iterations', '7'])).code).toBe(0);
  expect(await readFile(join(home, 'prompts/system/base.md'), 'utf8')).toBe('You plan.\n');
  expect(await readFile(join(home, 'agents/base.toml'), 'utf8')).toBe(`${toml}\n[react]\nmax_iterations = 7\n`);
  expect((await triad(['agents', 'show', 'base'])).out).toContain('\nYou plan.\n');
});
