/** `triad agents` and `triad trust`: what they print, what they write, and their exit codes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentReport } from '#contract/agent.ts';
import type { TrustLook } from '#contract/trust.ts';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { fullTest } from '../../../support/samples.ts';
import { inProcess } from '../../support/engine.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine, typing } from '../../support/memory-io.ts';
import { hasTerminals, machine, type Machine } from '../../support/process.ts';

const agent = (name: string, keys = '') => `---\nname: ${name}\ndescription: Does ${name}\n${keys}---\nYou do it.\n`;

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A machine whose commands run here. */
async function here(store: 'memory' | 'kept' = 'memory') {
  const home = await machine(plainAnswer());
  return { ...home, triad: inProcess(home, store) };
}

const names = async ({ triad }: Pick<Machine, 'triad'>) =>
  (JSON.parse((await triad(['agents', 'list', '--json'])).out) as { name: string }[]).map(({ name }) => name);
const BUILTIN = [
  ...['BUILD-HITL', 'BUILD-JUDGE', 'BUILD-LOOP', 'BUILD-SMART', 'code-reviewer', 'documentation-writer', 'fact-finder'],
  ...[
    'lead',
    'PLAN',
    'planner',
    'report-checker',
    'report-writer',
    'reviewer',
    'TASK-SMART',
    'test-generator',
    'worker',
  ],
];

test('list prints the enabled agents by name and reports omitted files on stderr; show prints one agent', async () => {
  const home = await here('kept');
  const { triad, folder } = home;
  await write(home.home, 'agents/auditor.md', agent('auditor', 'permissions: [FilesystemRead]\nmodel: my-model-1\n'));
  await write(home.home, 'agents/narrow.md', agent('narrow', 'tools: [grep, write_file]\npermissions: []\n'));
  await write(home.home, 'agents/open.md', agent('open'));
  await write(home.home, 'agents/off.md', agent('off', 'enabled: false\n'));
  await write(home.home, 'agents/bad.md', agent('bad', 'modle: x\n'));
  await write(folder, '.triad/agents/mine.md', agent('mine'));
  const list = await triad(['agents', 'list']);
  expect(list.code).toBe(0);
  expect(list.out).toMatch(
    /^NAME +PERMISSIONS +MODEL +SOURCE +WITH +DESCRIPTION +TOOLS\nauditor +read +my-model-1 +user \S+\/agents\/auditor\.md +- +Does auditor +the lead's\nBUILD-HITL +read write run net /,
  );
  expect(list.out, 'what its tools need').toMatch(/^test-generator +read write +\S.* builtin +/m);
  expect(list.out, 'a tool that its permissions do not allow needs nothing').toMatch(
    /^narrow +read +the lead's +user \S+ +- +Does narrow +grep, write_file$/m,
  );
  expect(list.out).toMatch(/^open +the lead's +the lead's +user \S+ +- +Does open +the lead's$/m);
  expect(list.out).not.toMatch(/^(off|bad|mine) /m);
  expect(list.err).toContain('1 file defines no agent as it is: see "triad agents validate"\n');
  expect(list.err).toContain('1 file of this folder left out: see "triad trust"\n');
  expect(await names(home)).toEqual(['auditor', ...BUILTIN, 'narrow', 'open'].sort((a, b) => a.localeCompare(b, 'en')));
  const json = JSON.parse((await triad(['agents', 'list', '--json'])).out) as AgentReport[];
  expect(json[0]).toMatchObject({
    name: 'auditor',
    source: 'user',
    ok: true,
    errors: [],
    file: join(home.home, 'agents/auditor.md'),
    warnings: [{ line: 5, column: 8, key: 'model', message: expect.stringContaining('is not checked') as string }],
  });
  const show = await triad(['agents', 'show', 'auditor']);
  expect(show.out).toContain('permissions         FilesystemRead\n');
  expect(show.out).toContain(`file                ${join(home.home, 'agents/auditor.md')}\n`);
  expect(show.out).toContain('\nYou do it.\n');
  expect((await triad(['agents', 'show', 'off'])).out).toContain('enabled             no\n');
  expect(await triad(['agents', 'show', 'mine'])).toMatchObject({ code: 2, out: '' });
  expect((await triad(['agents', 'show', 'auditr'])).err).toContain('did you mean auditor?');
});

test('validate prints locations, hints and exit codes, for all agents, for one agent and as JSON', async () => {
  const home = await here();
  const { triad, folder } = home;
  const good = await triad(['agents', 'validate']);
  expect([good.code, good.err]).toEqual([0, '16 agents checked: valid.\n']);
  await write(home.home, 'agents/bad.md', agent('bad', 'permissions:\n  - DatbaseWrite\n'));
  await write(folder, '.triad/agents/fine.toml', 'name = "fine"\ndescription = "d"\nprompt = "p"\n');
  await write(folder, '.claude/agents/theirs.md', agent('theirs', 'tools: Read, Bash\n'));
  const bad = await triad(['agents', 'validate']);
  expect(bad.code).toBe(1);
  expect(bad.err).toBe('19 agents checked: 1 with faults.\n');
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
});

fullTest(
  'tests/hosts/cli/commands/agents.test.ts › validate warns about values above a ceiling, and checks the files of one folder',
)('validate reports values cut by a ceiling of the user or the project, and checks one folder', async () => {
  const home = await here();
  const { triad, folder } = home;
  await write(home.home, 'agents/bad.md', agent('bad', 'permissions:\n  - DatbaseWrite\n'));
  await write(folder, '.triad/agents/fine.toml', 'name = "fine"\ndescription = "d"\nprompt = "p"\n');
  await write(folder, '.claude/agents/theirs.md', agent('theirs', 'tools: Read, Bash\n'));
  await write(home.home, 'config.toml', 'limits.max_iterations_ceiling = 30\n');
  await write(home.home, 'agents/long.md', agent('long', 'max_iterations: 31\nmax_tokens: 200000\n'));
  await write(folder, '.claude/agents/longer.md', agent('longer', 'maxTurns: 500\n'));
  const why = 'limits.max_iterations_ceiling of the settings';
  const long = await triad(['agents', 'validate', 'long']);
  expect(long.out).toContain(`long.md:4:17: warning: max_iterations is cut from 31 to 30: ${why}\n`);
  expect(long.out).toContain('warning: max_tokens is cut from 200000 to 128000: claude-sonnet-5-5 writes no more\n');
  expect((await triad(['agents', 'validate', 'longer'])).out).toContain(`maxTurns is cut from 500 to 30: ${why}\n`);
  expect((await triad(['agents', 'list', '--json'])).out).toContain(`max_iterations is cut from 31 to 30: ${why}`);
  for (const dir of ['.', '.claude/agents', join(folder, '.triad/agents')])
    expect((await triad(['agents', 'validate', '--dir', dir])).code).toBe(0);
  const theirs = await triad(['agents', 'validate', '--dir', '.claude/agents', '--json']);
  expect((JSON.parse(theirs.out) as AgentReport[]).map(({ name }) => name)).toEqual(['longer', 'theirs']);
  expect((await triad(['agents', 'validate', '--dir', join(home.home, 'agents')])).code).toBe(1);
  expect((await triad(['agents', 'validate', '--dir', 'none'])).code).toBe(2);
  // A project lowers it once its file is trusted.
  await write(folder, '.triad/config.toml', 'limits.max_iterations_ceiling = 9\n');
  expect((await triad(['agents', 'validate', 'long'])).out).toContain('is cut from 31 to 30');
  await triad(['trust', '--yes']);
  expect((await triad(['agents', 'validate', 'long'])).out).toContain('is cut from 31 to 9');
  expect((await triad(['agents', 'list', '--json'])).out).toContain('is cut from 31 to 9');
});

test('validate warns about values above a ceiling, and checks the files of one folder', async () => {
  const { triad, home, folder } = await here();
  await write(home, 'config.toml', 'limits.max_iterations_ceiling = 30\n');
  await write(home, 'agents/long.md', agent('long', 'max_iterations: 31\n'));
  expect((await triad(['agents', 'validate', 'long'])).out).toMatch(
    /long\.md:4:17: warning: max_iterations is cut from 31 to 30: limits\.max_iterations_ceiling /,
  );
  await write(folder, 'mine/bad.md', agent('bad', 'modle: x\n'));
  const bad = await triad(['agents', 'validate', '--dir', 'mine', '--json']);
  expect([bad.code, JSON.parse(bad.out)]).toMatchObject([1, [{ name: 'bad', ok: false }]]);
  expect((await triad(['agents', 'validate', '--dir', 'none'])).code).toBe(2);
});

test('validate works without a runtime, also beside an invalid settings file', async () => {
  const home = await here();
  await write(home.home, 'config.toml', 'nonsense = 1\n');
  expect((await home.triad(['agents', 'validate'])).code).toBe(0);
  expect((await home.triad(['agents', 'list'])).code).not.toBe(0);
});

test('new never overwrites an existing agent', async () => {
  const { triad, folder } = await here();
  const text = agent('taken');
  await write(folder, '.triad/agents/other.md', text);
  await write(folder, '.triad/agents/docs.md', text);
  expect(await triad(['agents', 'new', 'docs'])).toMatchObject({ code: 1, out: '' });
  expect((await triad(['agents', 'new', 'taken'])).err).toContain('is there already');
  for (const name of ['other.md', 'docs.md'])
    expect(await readFile(join(folder, '.triad/agents', name), 'utf8')).toBe(text);
});

test('new writes a valid template with the sections of a prompt', async () => {
  const { triad, folder } = await here();
  const path = join(folder, '.triad/agents/docs.md');
  expect(await triad(['agents', 'new', 'docs'])).toMatchObject({ code: 0, out: `${path}\n` });
  expect((await triad(['agents', 'validate', 'docs'])).out).toBe(`${path}: docs is valid\n`);
  const text = await readFile(path, 'utf8');
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([
    ...['Responsibilities', 'Guidelines', 'Tools available', 'Output format'],
    ...['Summary', 'Critical issues', 'Suggestions', 'Positive notes'],
  ]);
});

test('new writes a valid template to the project or the user folder, and overwrites nothing', async () => {
  const home = await here();
  const { triad, folder } = home;
  const made = await triad(['agents', 'new', 'docs']);
  const path = join(folder, '.triad/agents/docs.md');
  expect([made.code, made.out]).toEqual([0, `${path}\n`]);
  expect((await triad(['agents', 'validate', 'docs'])).out).toBe(`${path}: docs is valid\n`);
  const text = await readFile(path, 'utf8');
  expect(text).toMatch(/^# A chain\. WARNING: .* always runs after this one.*\n(# .*\n)+# next: /m);
  expect(await triad(['agents', 'new', 'docs'])).toMatchObject({ code: 1, out: '' });
  await write(folder, '.triad/agents/other.md', agent('taken'));
  expect((await triad(['agents', 'new', 'taken'])).err).toContain('other.md is there already');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect((await triad(['agents', 'new', '../x'])).code).toBe(2);
  expect((await triad(['agents', 'new', 'mine', '--user'])).out).toBe(`${join(home.home, 'agents/mine.md')}\n`);
  expect(await names(home)).toContain('mine');
});

test('new, validate, show and list work for a composition, and validate reports a missing agent in it', async () => {
  const home = await here('kept');
  const { triad, folder } = home;
  const path = join(folder, '.triad/compositions/MINE.toml');
  expect((await triad(['agents', 'new', 'MINE', '--composition', '--from', 'BUILD-JUDGE'])).out).toBe(`${path}\n`);
  expect((await triad(['agents', 'validate', 'MINE'])).out).toBe(`${path}: MINE is valid\n`);
  expect((await triad(['agents', 'validate', '--dir', '.'])).out, 'its agents lie elsewhere').toContain(
    'MINE is valid',
  );
  await triad(['trust', '--yes']);
  const shown = (await triad(['agents', 'show', 'MINE'])).out;
  expect(shown).toContain('\n    lead --answer--> reviewer  (judge, at most 3 answers)\n');
  expect(shown).toContain('\n    ends: reviewer calls task_complete\n');
  expect(shown).toContain('\nMINE always runs with reviewer.\n');
  const chain = (await triad(['agents', 'show', 'fact-finder'])).out;
  expect(chain).toMatch(
    /\n {2}fact-finder {2}\(tools: .*\)\n {4}\|\n {4}v {2}always, .*\n {2}report-writer {2}\(tools: read_file\)\n/,
  );
  expect(chain).toContain(
    'fact-finder always runs with report-writer, report-checker: it cannot run without its chain',
  );
  const listed = JSON.parse((await triad(['agents', 'list', '--json'])).out) as AgentReport[];
  expect(listed.find(({ name }) => name === 'fact-finder')).toMatchObject({
    chain: ['report-writer', 'report-checker'],
  });
  expect(listed.find(({ name }) => name === 'MINE')).toMatchObject({ flow: { type: 'judge', coagent: 'reviewer' } });
  const [checked] = JSON.parse((await triad(['agents', 'validate', 'MINE', '--json'])).out) as AgentReport[];
  expect(checked).toMatchObject({ flow: { type: 'judge', rounds: 3, primary: 'lead' } });
  await write(folder, '.triad/compositions/MINE.toml', (await readFile(path, 'utf8')).replace('"lead"', '"laed"'));
  expect((await triad(['agents', 'validate', 'MINE'])).out).toMatch(
    /MINE\.toml:\d+:11: composition\.primary laed: there is no such agent \(did you mean `lead`\?\)\n$/,
  );
  expect((await triad(['agents', 'new', 'x', '--composition', '--from', 'BUILD-NONE'])).err).toContain('no built-in');
  expect((await triad(['agents', 'new', 'x', '--from', 'PLAN'])).code).toBe(2);
});

test('trust shows, trusts, compares and revokes files, and needs --yes without a terminal', async () => {
  const home = await here('kept');
  const { triad, folder } = home;
  expect((await triad(['trust'])).err).toBe('Nothing here needs trust.\n');
  await write(folder, '.triad/agents/mine.md', agent('mine'));
  await write(folder, '.triad/agents/bad.md', agent('bad', 'modle: x\n'));
  const asked = await triad(['trust']);
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

test('run reports untrusted files in one line, and nothing once they are trusted', async () => {
  const { triad, folder } = await here('kept');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await write(folder, `.triad/agents/${name}.md`, agent(name));
  const run = await triad(['run', '--json', 'Hello']);
  expect(run.code).toBe(0);
  expect(run.err).toBe(
    'triad: left out, because nobody has trusted them as they are: .triad/agents/a.md, .triad/agents/b.md, .triad/agents/c.md and 2 more; see "triad trust"\n',
  );
  await triad(['trust', '--yes']);
  expect((await triad(['run', '--json', 'Hello'])).err).toBe('');
});

test('trust accepts only a clear yes', async () => {
  const home = await here('kept');
  await write(home.folder, '.triad/agents/mine.md', agent('mine'));
  const answer = async (line: string | null) => {
    const terminal = typing([line]);
    const { code } = await home.triad(['trust'], '', { terminal });
    expect(terminal.shown()).toBe('Trust 1 file as shown? [y/N] ');
    return code;
  };
  for (const no of ['', null, 'n', 'yess']) expect(await answer(no)).toBe(1);
  expect(await names(home)).toEqual(BUILTIN);
  expect(await answer('y')).toBe(0);
  expect(await names(home)).toContain('mine');
});

// In the program without a real one: the test before.
fullTest('tests/hosts/cli/commands/agents.test.ts › trust accepts only a clear yes', hasTerminals)(
  'trust accepts only a clear yes at a real terminal',
  async () => {
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
  },
);

test('file names and file texts cannot send control characters or lines of their own to the terminal', async () => {
  const { triad, folder, home } = await here('kept');
  const bad = '\u001b[2J\ntrusted  all.md';
  await write(folder, `.triad/agents/${bad}.md`, agent('mine'));
  await mkdir(join(folder, `.triad/agents/x${bad}.md`), { recursive: true });
  await write(home, 'agents/a.md', agent('auditor', `model: "sonet\\e[2J"\n`));
  const said = [
    await triad(['agents', 'show', 'mine']),
    await triad(['agents', 'show', 'auditor']),
    await triad(['agents', 'list']),
    await triad(['trust']),
    await triad(['run', 'Look']),
  ].map(({ out, err }) => out + err);
  for (const text of said) expect(text).not.toContain('\u001b');
  expect(said[3]).toContain('⟦U+001B⟧[2J trusted');
  expect(said.join('\n')).not.toMatch(/^trusted/m);
});

test('validate checks models against the list that doctor requested, and requests none', async () => {
  const home = await here();
  const { triad, folder, model } = home;
  await write(folder, '.triad/agents/near.md', agent('near', 'model: claude-sonet-5-5\n'));
  await write(folder, '.triad/agents/here.md', agent('here', 'model: claude-sonnet-5-5\n'));
  await write(folder, '.claude/agents/theirs.md', agent('theirs', 'model: opus\n'));
  model.models = ['claude-sonnet-5-5', 'claude-haiku-5-5'];
  const before = await triad(['agents', 'validate']);
  expect([before.code, model.asked()]).toEqual([0, 0]);
  expect(before.out).toMatch(/near\.md:4:8: warning: model claude-sonet-5-5 is not checked: .* has not given a list/);
  expect((await triad(['doctor'])).out).toContain(`ok      models: 2 at ${model.url}, as of `);
  const asked = model.asked();
  const after = await triad(['agents', 'validate']);
  expect([after.code, model.asked()]).toEqual([0, asked]);
  expect(after.out).toMatch(
    /near\.md:4:8: warning: model claude-sonet-5-5 is not in the list of .*\(did you mean `claude-sonnet-5-5`\?\)/,
  );
  expect(after.out).toMatch(/here\.md: here is valid\n/);
  expect(after.out).toMatch(
    /theirs\.md: theirs is valid\n.*warning: model opus .* is not in the list of .*: the lead's is used/,
  );
  await write(home.home, 'config.toml', 'models.enabled = ["haiku"]\nmodels.default = "haiku"\n');
  expect((await triad(['agents', 'validate'])).out).toMatch(
    /here\.md:4:8: model claude-sonnet-5-5 is not enabled: models\.enabled has haiku/,
  );
  await write(home.home, 'config.toml', 'models.enabled = ["haiku", "modle"]\n');
  const lines = (await triad(['config', 'validate'])).out;
  expect(lines).toContain(
    "config.toml:1:28: models.enabled.1 is not a model: use sonnet, haiku, opus, or the provider's id of a model; to do: ",
  );
  expect(lines).toContain(
    'config.toml:1:1: models.default must be one of models.enabled (haiku, modle), not sonnet; to do: ',
  );
});

test('doctor warns if the endpoint does not list a default model that the settings name', async () => {
  const { triad, model, home } = await here();
  model.models = ['llama3.2:1b'];
  expect((await triad(['doctor'])).out).toContain(`ok      models: 1 at ${model.url}, as of `);
  await write(home, 'config.toml', 'models.default = "claude-nope-1"\n');
  expect((await triad(['doctor'])).out).toMatch(/warning models: 1 at .* not the default model claude-nope-1; to do: /);
});

test('cleanup reports the removed temporary agents and the agents that still work', async () => {
  const { triad } = await here();
  const { code, out } = await triad(['agents', 'cleanup']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^Nothing to clean up: .*\nNone works now\.\n$/)]);
  const client = memoryClient({
    'agents.cleanup': () => ({ removed: 2, working: [{ agent: 'parser\u202e', runId: 'run-1' }] }),
  });
  expect((await commandLine(client)('agents', 'cleanup')).out).toBe(
    'Removed: 2 temporary agents whose run had ended.\nThey work, or wait to begin: parser⟦U+202E⟧ (run-1)\n',
  );
});
