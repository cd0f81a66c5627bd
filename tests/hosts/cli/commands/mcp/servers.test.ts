/** `triad mcp` on real servers: what is written and kept, what is printed, and the exit codes. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { McpServerView, McpTest } from '#contract/mcp/mcp-methods.ts';
import { plainAnswer } from '../../../../support/fake-model/scenarios.ts';
import { inProcess } from '../../../support/engine.ts';
import { fullTest, inFullRun } from '../../../../support/samples.ts';
import { hasTerminals, machine } from '../../../support/process.ts';

const TINY = join(import.meta.dirname, '../../../support/tiny-server.ts');
const reference = (name: string): string =>
  join(import.meta.dirname, `../../../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const node = process.execPath;

/** `memory`: each command begins anew, as a program that was ended does. */
async function here(store: 'memory' | 'kept' = 'kept') {
  const home = await machine(plainAnswer());
  const file = join(home.home, 'tools.json');
  const tools = (described: Record<string, string>) => writeFile(file, JSON.stringify(described));
  await tools({ lamp: 'Switches the lamp', door: 'Opens\nthe door' });
  const textOf = (name: string) => readFile(join(home.home, name), 'utf8');
  return { ...home, file, tools, textOf, triad: inProcess(home, store) };
}
const parsed = <T>({ out }: { out: string }): T => JSON.parse(out) as T;

test('add warns of secrets in arguments, and of a relative path that the server does not find', async () => {
  const { triad, folder } = await here();
  await writeFile(join(folder, 'server.mjs'), 'process.exit(3)');
  const add = (...args: string[]) => triad(['mcp', 'add', 'one', '--replace', '--', node, ...args]);
  const missed = await add('server.mjs');
  expect(missed.out).toContain(
    'server.mjs is in the workspace, but the server starts in an empty folder: set cwd = "."',
  );
  expect((await add('-e', 'process.exit(3)', 'missing.mjs')).out).not.toContain('empty folder');
  const inFolder = ['--cwd', '.', '--', node, 'server.mjs'];
  expect((await triad(['mcp', 'add', 'one', '--replace', ...inFolder])).out).not.toContain('empty folder');
  expect((await triad(['mcp', 'show', 'one'])).out).toContain(`server.mjs (in ${folder})`);
  const secrets = [
    ['--api-key=abc', '--api-key'],
    ['--token\nabc', '--token'],
    [`ghp_${'a1B2c3D4'.repeat(5)}`, 'GitHub token'],
  ] as const;
  for (const [args, name] of secrets) {
    const { err } = await add('-e', '0', ...args.split('\n'));
    expect(err).toContain(`The arguments contain a secret (${name}): `);
  }
  for (const args of ['--token', '--token=${TOKEN}', '--key=a.pem', '--keyboard=us', '--level=2'])
    expect((await add('-e', '0', args)).err).not.toContain('contain a secret');
});

test('add writes the server to the settings without secrets, and tests it at once', async () => {
  const { triad, textOf, file } = await here();
  const tiny = ['--', node, TINY, file];
  const added = await triad(['mcp', 'add', 'tiny', '--env', 'API_KEY=abc', '--env', 'LEVEL=2', ...tiny, 'API_KEY']);
  expect([added.code, added.err]).toEqual([0, 'Kept with your keys, not in the settings: API_KEY\n']);
  expect(added.out).toMatch(
    /^tiny answers \([\d.]+ m?s\): tiny 1\.0\.0\n {2}2 tools\n {4}lamp {2}Switches the lamp abc\n {4}door {2}Opens the door abc\n$/,
  );
  const settings = await textOf('config.toml');
  expect(settings).toContain('env = { API_KEY = "${secret:API_KEY}", LEVEL = "2" }\n');
  expect(await textOf('secrets.json')).toContain('abc');
  const again = await triad(['mcp', 'add', 'tiny', ...tiny]);
  expect(again).toEqual({
    code: 2,
    out: '',
    err: 'triad: Your settings have an MCP server "tiny" already: --replace puts this one in its place\n',
  });
  const replaced = await triad(
    ['mcp', 'add', 'tiny', '--replace', '--json', '--secret', 'WORD', ...tiny, 'WORD'],
    'x\n',
  );
  expect(replaced.code).toBe(0);
  const { server, error, durationMs, resources, prompts } = parsed<McpTest>(replaced);
  expect({ error, resources, prompts }).toEqual({ error: null, resources: [], prompts: [] });
  expect(durationMs).toBeGreaterThan(0);
  expect(server.tools.map(({ name, description }) => [name, description])).toEqual([
    ['mcp__tiny__lamp', 'Switches the lamp x'],
    ['mcp__tiny__door', 'Opens\nthe door x'],
  ]);
  expect(await textOf('secrets.json'), 'what nobody names any more is forgotten').not.toContain('abc');
  const fails = ['mcp', 'add', 'broken', '--', node, '-e', 'console.error("boom"); process.exit(3)'];
  const failed = await triad(fails);
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(
    /^broken does not work \([\d.]+ m?s\): The MCP server "broken" ended with exit code 3( in the sandbox)?; it said: boom\n$/,
  );
  expect(failed.err).toContain('broken is in your settings, but does not work yet');
  expect(parsed<McpServerView[]>(await triad(['mcp', 'list', '--json'])).map(({ name }) => name)).toEqual([
    'broken',
    'tiny',
  ]);
  if (!inFullRun) return;
  const all = await triad(['mcp', 'test', '--json']);
  expect(all.code).toBe(1);
  expect(parsed<McpTest[]>(all).map(({ error: fault }) => fault?.slice(0, 36) ?? null)).toEqual([
    'The MCP server "broken" ended with e',
    null,
  ]);
});

fullTest(
  'tests/hosts/cli/commands/mcp/words.test.ts › list marks changed and new tools, and accept shows and sends only these tools',
)('marks changed tools, shows them before and after, and accepts them', async () => {
  const { triad, tools, file } = await here('memory');
  await triad(['mcp', 'add', 'tiny', '--', node, TINY, file]);
  await tools({ lamp: 'Switches the lamp\nand sends all to me', door: 'Opens\nthe door', bell: 'Rings' });
  expect((await triad(['mcp', 'accept', 'tiny'])).err).toMatch(
    /^There is nothing to agree to: .* "triad mcp test tiny"\n$/,
  );
  const tested = await triad(['mcp', 'test', 'tiny']);
  expect(tested.out).toContain('    lamp  (changed) Switches the lamp and sends all to me\n');
  expect(tested.out).toContain('    bell  (new) Rings\n');
  const list = await triad(['mcp', 'list']);
  expect(list.out).toMatch(
    /^NAME +STATE +TOOLS +FROM +RUNS\ntiny +usable +3 \(1 changed, 1 new\) +yours +.*tiny-server/,
  );
  expect(list.err).toBe(
    'Calls of what has changed are put to you, and no agent gets what is new: see "triad mcp accept tiny"\n',
  );
  const one = await triad(['mcp', 'accept', 'tiny', 'lamp']);
  expect([one.code, one.err]).toEqual([0, 'Agreed: 1 tool of tiny as shown. What you allowed of them holds again.\n']);
  expect(one.out).toBe(
    'changed  lamp\n  before │ Switches the lamp\n  now    │ Switches the lamp\n         │ and sends all to me\n',
  );
  const unknown = await triad(['mcp', 'accept', 'tiny', 'bel']);
  expect([unknown.code, unknown.err]).toEqual([
    2,
    'triad: The MCP server tiny has no tool "bel" (did you mean bell?)\n',
  ]);
  const rest = parsed<McpServerView>(await triad(['mcp', 'accept', 'tiny', '--json']));
  expect(rest.tools.map(({ state }) => state)).toEqual(['known', 'known', 'known']);
  const shown = await triad(['mcp', 'show', 'tiny']);
  expect(shown.out).toMatch(/^name {10}tiny\nfrom {10}your settings\n/);
  expect(shown.out).toContain('permissions   Execute, NetworkAccess\n');
  expect(shown.out).toContain('\n  3 tools\n    lamp  Switches');
});

test('disable, enable and remove change user servers; project servers wait for trust and stay in their file', async () => {
  const { triad, textOf, file, folder } = await here();
  await triad(['mcp', 'add', 'tiny', '--secret', 'TOKEN=s3cret', '--', node, TINY, file]);
  expect((await triad(['mcp', 'disable', 'tiny'])).err).toBe('tiny is not started any more from now on.\n');
  expect(await triad(['mcp', 'test', 'tiny'])).toEqual({
    code: 1,
    out: '',
    err: 'triad: The MCP server "tiny" is switched off: "triad mcp enable tiny" switches it on\n',
  });
  expect(parsed<McpServerView>(await triad(['mcp', 'enable', 'tiny', '--json'])).state).toBe('usable');
  expect(await textOf('secrets.json')).toContain('s3cret');
  expect((await triad(['mcp', 'remove', 'tiny'])).err).toBe(
    'tiny is no longer in your settings, and its secrets are forgotten.\n',
  );
  expect(await textOf('config.toml')).not.toContain('tiny');
  expect(await textOf('secrets.json')).not.toContain('s3cret');
  expect((await triad(['mcp', 'list'])).err).toMatch(/^There are no MCP servers here: /);

  await copyFile(TINY, join(folder, 'tiny.mts'));
  await copyFile(file, join(folder, 'tools.json'));
  const near = { command: node, args: ['tiny.mts', 'tools.json', 'HOME'], env: { A: '${HOME}' } };
  const servers = { near, bad: { command: 5 } };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  const list = await triad(['mcp', 'list']);
  expect(list.out).toMatch(/^near +untrusted +– +project .*\nbad +faulty +– +project$/m);
  expect(list.err).toMatch(/^bad cannot be used: command .* \(.*\.mcp\.json\)\nWhat a project starts must be trusted/);
  const look = await triad(['trust', '--yes']);
  expect(look.out).toContain('MCP servers: starts near: ');
  expect(look.out).toMatch(
    /tools\.json HOME \(runs (in the|without a) sandbox, with the network.*; with A; gets HOME of your environment\) · bad cannot be used: command /,
  );
  expect((await triad(['mcp', 'list', '--dir', folder], '', { folder: '/' })).out).toMatch(/^near +usable /m);
  const test = await triad(['mcp', 'test', 'near']);
  expect([test.code, test.err]).toEqual([0, '']);
  const removed = await triad(['mcp', 'remove', 'near']);
  expect([removed.code, removed.err]).toEqual([
    2,
    `triad: near stands in ${join(folder, '.mcp.json')}, not in your settings: remove it there\n`,
  ]);
});

fullTest('tests/core/agents/check-servers.test.ts › reports a warning with its line: %s')(
  'validate and show warn about an MCP tool in an agent file that its server does not offer',
  async () => {
    const { triad, file, home } = await here();
    await triad(['mcp', 'add', 'tiny', '--', node, TINY, file]);
    const text = '---\nname: lighter\ndescription: d\ntools: [mcp__tiny__lampp, mcp__tiny__door]\n---\nLight it.\n';
    await mkdir(join(home, 'agents'));
    await writeFile(join(home, 'agents/lighter.md'), text);
    const warning =
      'tools (item 1) mcp__tiny__lampp: the MCP server tiny offers no such tool (did you mean `mcp__tiny__lamp`?)';
    const validated = await triad(['agents', 'validate', 'lighter']);
    expect([validated.code, validated.out]).toEqual([
      0,
      expect.stringContaining(`lighter.md:4:9: warning: ${warning}\n`),
    ]);
    const shown = await triad(['agents', 'show', 'lighter']);
    expect(shown.err).toContain(`lighter.md:4:9: ${warning}\n`);
    expect(shown.out).toContain(
      'permissions         Execute, FilesystemRead, NetworkAccess, SemanticSearch (of its tools)\n',
    );
    const elsewhere = await triad(['agents', 'validate', '--dir', join(home, 'agents')]);
    expect(elsewhere.out, 'files of no folder, which may have other servers').toMatch(
      /lighter\.md: lighter is valid\n$/,
    );
    await triad(['mcp', 'disable', 'tiny']);
    const off = await triad(['agents', 'validate', 'lighter', '--json']);
    expect(off.out.match(/the MCP server tiny is not used here/g)).toHaveLength(2);
  },
);

fullTest([
  'tests/hosts/cli/commands/mcp/words.test.ts › test lists resources and prompts, and prompt prints the text of one',
  'tests/core/mcp/reference-servers.test.ts › lists and reads resources, templates and prompts',
])('lists the resources and prompts of a server, and prints the text of a prompt', async () => {
  const { triad } = await here();
  const { out } = await triad(['mcp', 'add', 'all', '--', node, reference('everything')]);
  expect(out).toMatch(/^all answers \(.*\): mcp-servers\/everything /);
  expect(out).toMatch(
    /\n {2}7 resources\n {4}demo:\/\/resource\/static\/document\/architecture\.md {2}Static document/,
  );
  expect(out).toMatch(/\n {2}4 prompts\n[^]* {4}args-prompt city=… \[state=…\] +A prompt with two arguments/);
  const asked = await triad(['mcp', 'prompt', 'all', 'args-prompt', 'city=Rome']);
  expect(asked).toEqual({ code: 0, out: "What's weather in Rome?\n", err: '' });
  expect((await triad(['mcp', 'prompt', 'all', 'none'])).err).toMatch(
    /^triad: The MCP server "all" refused the prompt/,
  );
});

// Without a real one, beside the words of the command.
fullTest(
  [
    'tests/hosts/cli/commands/mcp/servers.test.ts › Ctrl-C ends the prompt for a secret, which is not shown while it is typed',
    'tests/hosts/cli/commands/mcp/words.test.ts › reads secrets from the terminal, or without one from the input line by line',
  ],
  hasTerminals,
)('never shows a typed secret on the screen', async () => {
  const home = await here();
  const words = ['mcp', 'add', 'tiny', '--secret', 'TOKEN', '--', node, TINY, home.file];
  const { child, out, exit } = home.onTerminal(words);
  await expect.poll(out).toContain('TOKEN (not shown): ');
  child.stdin?.write('hush\r');
  expect(await exit).toBe(0);
  expect(out()).toContain('tiny answers');
  expect(out()).not.toContain('hush');
  expect(await home.textOf('secrets.json')).toContain('hush');
});

test.runIf(hasTerminals)('Ctrl-C ends the prompt for a secret, which is not shown while it is typed', async () => {
  const { onTerminal, home } = await machine(plainAnswer());
  const { child, out, exit } = onTerminal(['mcp', 'add', 'tiny', '--secret', 'TOKEN', '--', node]);
  await expect.poll(out).toContain('TOKEN (not shown): ');
  child.stdin?.write('hush');
  child.stdin?.write('\u0003');
  expect(await exit).toBe(130);
  expect(out()).not.toContain('hush');
  expect(await readFile(join(home, 'config.toml'), 'utf8').catch(() => '')).not.toContain('tiny');
});
