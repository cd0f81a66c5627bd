/** `triad agents` and `triad trust`, in part as real processes: what they print, what they write, and their exit codes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentReport } from '#contract/agent.ts';
import type { TrustLook } from '#contract/trust.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { hasTerminals, machine, type Machine } from '../../support/process.ts';

const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: Does ${name}\n${keys}---\nYou do it.\n`;

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A machine whose commands run here; `launched` is a process of its own. */
async function here() {
  const home = await machine(plainAnswer());
  return { ...home, triad: inProcess(home, 'memory'), launched: home.triad };
}

const names = async ({ triad }: Pick<Machine, 'triad'>) =>
  (JSON.parse((await triad(['agents', 'list', '--json'])).out) as { name: string }[]).map(({ name }) => name);
const BUILTIN = ['code-reviewer', 'documentation-writer', 'lead', 'test-generator'];

test('list: enabled ones by name, with what was left out on stderr; show: one in full', async () => {
  const home = await here();
  const { triad, folder } = home;
  await write(home.home, 'agents/auditor.md', agent('auditor', 'permissions: [FilesystemRead]\nmodel: sonet\n'));
  await write(home.home, 'agents/off.md', agent('off', 'enabled: false\n'));
  await write(home.home, 'agents/bad.md', agent('bad', 'modle: x\n'));
  await write(folder, '.triad/agents/mine.md', agent('mine'));
  const list = await home.launched(['agents', 'list']);
  expect(list.code).toBe(0);
  expect(list.out).toMatch(
    /^NAME +DESCRIPTION +MODEL +SOURCE +PERMISSIONS +TOOLS\nauditor +Does auditor +sonet +user +FilesystemRead +the lead's\ncode-reviewer /,
  );
  expect(list.out).not.toMatch(/^(off|bad|mine) /m);
  expect(list.err).toContain('1 file defines no agent as it is: see "triad agents validate"\n');
  expect(list.err).toContain('1 file of this folder left out: see "triad trust"\n');
  expect(await names(home)).toEqual(['auditor', ...BUILTIN]);
  const json = JSON.parse((await triad(['agents', 'list', '--json'])).out) as AgentReport[];
  expect(json[0]).toMatchObject({
    name: 'auditor',
    source: 'user',
    ok: true,
    errors: [],
    file: join(home.home, 'agents/auditor.md'),
    warnings: [{ line: 5, column: 8, key: 'model', suggestion: 'sonnet' }],
  });
  const show = await triad(['agents', 'show', 'auditor']);
  expect(show.out).toContain('permissions         FilesystemRead\n');
  expect(show.out).toContain(`file                ${join(home.home, 'agents/auditor.md')}\n`);
  expect(show.out).toContain('\nYou do it.\n');
  expect((await triad(['agents', 'show', 'off'])).out).toContain('enabled             no\n');
  expect(await triad(['agents', 'show', 'mine'])).toMatchObject({ code: 2, out: '' });
  expect((await triad(['agents', 'show', 'auditr'])).err).toContain('did you mean auditor?');
});

test('validate: places, hints and exit codes, for all, for one, for a folder, and for programs', async () => {
  const home = await here();
  const { triad, folder } = home;
  const good = await triad(['agents', 'validate']);
  expect([good.code, good.err]).toEqual([0, '4 agents checked: valid.\n']);
  await write(home.home, 'agents/bad.md', agent('bad', 'permissions:\n  - DatbaseWrite\n'));
  await write(folder, '.triad/agents/fine.toml', 'name = "fine"\ndescription = "d"\nprompt = "p"\n');
  await write(folder, '.claude/agents/theirs.md', agent('theirs', 'tools: Read, Bash\n'));
  const bad = await triad(['agents', 'validate']);
  expect(bad.code).toBe(1);
  expect(bad.err).toBe('7 agents checked: 1 with faults.\n');
  const file = join(home.home, 'agents/bad.md');
  expect(bad.out).toMatch(new RegExp(`^${file}:5:5: permissions \\(item 1\\) .*did you mean \`DatabaseWrite\``, 'm'));
  expect(bad.out).toContain('warning: tools without a counterpart here, left out: Bash\n');
  expect((await triad(['agents', 'validate', 'fine'])).code).toBe(0);
  expect((await triad(['agents', 'validate', 'bad'])).code).toBe(1);
  expect(await triad(['agents', 'validate', 'fin'])).toMatchObject({ code: 2, out: '' });
  const json = await triad(['agents', 'validate', 'bad', '--json']);
  expect([json.code, JSON.parse(json.out)]).toMatchObject([
    1,
    [
      {
        file,
        name: 'bad',
        source: 'user',
        ok: false,
        warnings: [],
        errors: [{ line: 5, column: 5, key: 'permissions', suggestion: 'DatabaseWrite' }],
      },
    ],
  ]);
  for (const dir of ['.', '.claude/agents', join(folder, '.triad/agents')])
    expect((await triad(['agents', 'validate', '--dir', dir])).code).toBe(0);
  const theirs = await triad(['agents', 'validate', '--dir', '.claude/agents', '--json']);
  expect((JSON.parse(theirs.out) as AgentReport[]).map(({ name }) => name)).toEqual(['theirs']);
  expect((await triad(['agents', 'validate', '--dir', join(home.home, 'agents')])).code).toBe(1);
  expect((await triad(['agents', 'validate', '--dir', 'none'])).code).toBe(2);
});

test('validate needs no program: it works beside a settings file that keeps one from starting', async () => {
  const home = await here();
  await write(home.home, 'config.toml', 'nonsense = 1\n');
  expect((await home.triad(['agents', 'validate'])).code).toBe(0);
  expect((await home.triad(['agents', 'list'])).code).not.toBe(0);
});

test('new: a template that can be used, and never written over', async () => {
  const home = await here();
  const { triad, folder } = home;
  const made = await triad(['agents', 'new', 'docs']);
  const path = join(folder, '.triad/agents/docs.md');
  expect([made.code, made.out]).toEqual([0, `${path}\n`]);
  expect((await triad(['agents', 'validate', 'docs'])).out).toBe(`${path}: docs is valid\n`);
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(/^# Chains are not run by this version.*\n.*\n# next: /m);
  expect(await triad(['agents', 'new', 'docs'])).toMatchObject({ code: 1, out: '' });
  await write(folder, '.triad/agents/other.md', agent('taken'));
  expect((await triad(['agents', 'new', 'taken'])).err).toContain('other.md is there already');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect((await triad(['agents', 'new', '../x'])).code).toBe(2);
  expect((await triad(['agents', 'new', 'mine', '--user'])).out).toBe(`${join(home.home, 'agents/mine.md')}\n`);
  expect(await names(home)).toContain('mine');
});

test('trust: shown, agreed, changed, revoked; without a terminal only with --yes', async () => {
  const home = await here();
  const { triad, folder } = home;
  expect((await triad(['trust'])).err).toBe('Nothing here needs trust.\n');
  await write(folder, '.triad/agents/mine.md', agent('mine'));
  await write(folder, '.triad/agents/bad.md', agent('bad', 'modle: x\n'));
  const asked = await home.launched(['trust']);
  expect([asked.code, asked.err]).toEqual([
    2,
    'triad: triad trust asks on a terminal, and there is none: look, then use --yes\n',
  ]);
  expect(asked.out).toMatch(/^new {6}\.triad\/agents\/bad\.md {2}no agent: .*did you mean `model`\?\)$/m);
  expect(asked.out).toMatch(/^new {6}\.triad\/agents\/mine\.md {2}agent mine · .*: Does mine$/m);
  expect(asked.out, 'the whole text').toContain('  │ modle: x\n');
  expect((await triad(['trust', '--yes'])).err).toBe('Trusted as they are now: 2 files.\n');
  expect(await names(home)).toContain('mine');
  expect((await triad(['trust', folder])).err).toContain('Nothing has changed since you trusted it.\n');
  expect((await triad(['trust', '--list'])).out).toBe(`${folder}  2 files\n`);
  await write(folder, '.triad/agents/mine.md', agent('mine', 'model: opus\n'));
  const { files } = JSON.parse((await triad(['trust', '--json'])).out) as TrustLook;
  expect(files.map(({ state }) => state)).toEqual(['same', 'changed']);
  const changed = (await triad(['trust'])).out;
  expect(changed).toContain('  │ +model: opus\n');
  expect(changed, 'nothing of what is trusted').not.toContain('modle: x\n');
  expect((await triad(['trust', '--yes'])).code).toBe(0);
  expect((await triad(['trust', '--revoke'])).err).toContain(`Nothing in ${folder} is trusted any more.\n`);
  expect(await names(home)).toEqual(BUILTIN);
  expect((await triad(['trust', '--list', '--revoke'])).code).toBe(2);
  expect((await triad(['trust', 'none'])).code).toBe(2);
});

test('run says in one line what it left out, and nothing once it is trusted', async () => {
  const { triad, folder } = await here();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await write(folder, `.triad/agents/${name}.md`, agent(name));
  const run = await triad(['run', '--json', 'Hello']);
  expect(run.code).toBe(0);
  expect(run.err).toBe(
    'triad: left out, because nobody has trusted them as they are: .triad/agents/a.md, .triad/agents/b.md, .triad/agents/c.md and 2 more; see "triad trust"\n',
  );
  await triad(['trust', '--yes']);
  expect((await triad(['run', '--json', 'Hello'])).err).toBe('');
});

test.runIf(hasTerminals)('at the terminal only a clear yes is one', async () => {
  const home = await here();
  await write(home.folder, '.triad/agents/mine.md', agent('mine'));
  const answer = async (typed: string) => {
    const { child, out, exit } = home.onTerminal(['trust']);
    await expect.poll(out).toContain('Trust 1 file as shown? [y/N] ');
    child.stdin?.write(typed);
    return exit;
  };
  expect(await answer('\r')).toBe(1);
  expect(await names(home)).toEqual(BUILTIN);
  expect(await answer('y\r')).toBe(0);
  expect(await names(home)).toContain('mine');
});

test('names of files, and what they say, command no terminal and write no line of their own', async () => {
  const { triad, launched, folder, home } = await here();
  const bad = '\u001b[2J\ntrusted  all.md';
  await write(folder, `.triad/agents/${bad}.md`, agent('mine'));
  await mkdir(join(folder, `.triad/agents/x${bad}.md`), { recursive: true });
  await write(home, 'agents/a.md', agent('auditor', `model: "sonet\\e[2J"\n`));
  const said = [
    await triad(['agents', 'show', 'mine']),
    await triad(['agents', 'show', 'auditor']),
    await triad(['agents', 'list']),
    await triad(['trust']),
    await launched(['run', 'Look']),
  ].map(({ out, err }) => out + err);
  for (const text of said) expect(text).not.toContain('\u001b');
  expect(said[3]).toContain('⟦U+001B⟧[2J trusted');
  expect(said.join('\n')).not.toMatch(/^trusted/m);
});
