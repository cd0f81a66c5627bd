/** `triad check` as a process: all files of the person and the project; other commands show the same findings. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentReport } from '#contract/agent.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

const AGENT = '---\nname: bad\ndescription: Does it\nmodle: opus\n---\nYou do it.\n';

/** Files with one mistake each, in the home and in the project. */
const MISTAKES = {
  home: {
    'config.toml': '[limits]\nmax_sub_agent = 2\n',
    'agents/bad.md': AGENT,
    'compositions/loop.toml': '[agent]\nname = "loop"\n[control_flow]\ntype = "circle"\n',
  },
  folder: {
    '.triad/config.toml': '[[permissions.rules]]\neffect = "deny"\ntool = "writ_file"\n',
    '.mcp.json': '{\n "mcpServers": {\n  "a": {}\n }\n}\n',
  },
};

async function configured(files: Partial<Record<'home' | 'folder', Record<string, string>>>) {
  const home = await machine(plainAnswer());
  for (const place of ['home', 'folder'] as const)
    for (const [path, text] of Object.entries(files[place] ?? {})) {
      const file = join(home[place], path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { mode: 0o600 });
    }
  return home;
}

/** A finding, as `--json` prints it. */
type Finding = Record<'file' | 'level' | 'what' | 'todo', string> & Record<'line' | 'column', number>;

test('check reports the mistakes of settings, rules, agents, compositions and servers, and exits with 1', async () => {
  const { triad, home, folder } = await configured(MISTAKES);
  const { code, out } = await triad(['check', '--json']);
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: Finding[] };
  expect([code, ok]).toEqual([1, false]);
  const found = findings.map(({ file, line, column, level, todo }) => `${file}:${line}:${column} ${level}: ${todo}`);
  for (const expected of [
    `${home}/config.toml:2:1 error: write limits.max_sub_agents`,
    `${home}/agents/bad.md:4:1 error: write model`,
    `${home}/compositions/loop.toml:4:8 error: correct it`,
    `${folder}/.triad/config.toml:3:1 warning: write write_file`,
    `${folder}/.mcp.json:3:3 error: correct it`,
  ])
    expect(found).toContain(expected);
  const text = await triad(['check', '--dir', folder], undefined, { folder: home });
  expect(text.out.split('\n')).toHaveLength(findings.length + 1);
  expect(text.out).toContain(`${folder}/.mcp.json:3:3: mcpServers.a: `);
  expect(text.err).toBe('5 files checked: 6 errors, 2 warnings.\n');
});

test('check exits with 0 without an error, and with 2 without the folder', async () => {
  const { triad } = await configured({ home: { 'config.toml': 'providers.active = "demo"\n' } });
  expect(await triad(['check'])).toEqual({ code: 0, out: '', err: '1 file checked: valid.\n' });
  expect(await triad(['check', '--dir', 'none'])).toMatchObject({ code: 2, out: '' });
});

test('config validate, agents validate and doctor show the findings of check', async () => {
  const home = await configured(MISTAKES);
  const run = inProcess(home, 'memory');
  const { out } = await run(['check', '--json']);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  expect(await run(['config', 'validate', '--json'])).toMatchObject({ code: 1, out });
  const reports = JSON.parse((await run(['agents', 'validate', '--json'])).out) as AgentReport[];
  const faults = reports.flatMap(({ file, errors }) => errors.map(({ line, message }) => [file, line, message]));
  const ofAgents = findings.filter(({ file, level }) => level === 'error' && /agents|compositions/.test(file));
  expect(faults).toEqual(expect.arrayContaining(ofAgents.map(({ file, line, what }) => [file, line, what])));
  expect(faults).toHaveLength(ofAgents.length);
  const own = findings.find(({ file }) => file === join(home.home, 'config.toml'))!;
  expect((await run(['doctor'])).out).toContain(
    `problem settings: ${own.file}:2: ${own.what}; to do: ${own.todo}; "triad check" lists all\n`,
  );
});
