/** The page on MCP servers: its commands are understood, its entries fit, and its tables say what the program does. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type McpOffer, Permission } from '#contract/agent.ts';
import { MAX_MCP_SERVERS } from '#contract/limits.ts';
import { McpEntry } from '#contract/mcp/mcp-entry.ts';
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import { judge } from '#core/approvals/judge.ts';
import { parseRules } from '#core/approvals/rule-files.ts';
import { keptAccess } from '#core/mcp/look.ts';
import { Listings } from '#core/mcp/listings.ts';
import { mcpTools } from '#core/mcp/mcp-tool.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { readMcpJson } from '#core/settings/mcp-json.ts';
import { checkSettings } from '#core/settings/settings.ts';
import type { QuestionContext, Tool } from '#core/tools/tool.ts';
import { actionOf, NOW } from '../core/approvals/support.ts';
import { memoryClient } from '../hosts/support/memory-client.ts';
import { commandLine } from '../hosts/support/memory-io.ts';
import { readPage } from './examples.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
const sections = readPage('mcp.md');
const blocks = (title: string, language: string): string[] =>
  sections
    .filter((section) => section.title === title)
    .flatMap((section) => section.blocks)
    .filter((block) => block.language === language)
    .map(({ content }) => content);
const [entries = ''] = blocks('In the settings', 'toml');
const [rules = ''] = blocks('What is asked', 'toml');

const server: McpServerView = {
  name: 'memory',
  source: 'user',
  file: '/config.toml',
  kind: 'stdio',
  runs: 'x',
  state: 'usable',
  fault: null,
  permissions: [],
  sampling: false,
  process: null,
  heardAt: null,
  tools: [],
  signIn: 'in',
};
const client = memoryClient({
  'mcp.list': () => ['memory', 'tracker', 'github'].map((name) => ({ ...server, name })),
  'mcp.add': () => server,
  'mcp.test': () => ({ server, error: null, durationMs: 1, resources: [], prompts: [] }),
  'mcp.enable': () => server,
  'mcp.prompt': () => ({ text: 'x' }),
});

const lines = sections
  .flatMap((section) => section.blocks)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ content }) => content.split('\n'));

test.for(lines)('the command on the page works: %s', async (line) => {
  const words = [...line.replace(/ [#<] .*/, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b = '']) => a ?? b);
  expect(words[0]).toBe('triad');
  const { code, err } = await commandLine(client, { stdin: 's3cret\n' })(...words.slice(1));
  expect([code, err]).toEqual([0, expect.not.stringContaining('triad: ')]);
});

test('the example entries are valid, and the page names each key of an entry', () => {
  const settings = checkSettings(entries);
  expect(settings.ok && Object.keys(settings.value.mcp.servers)).toEqual(['memory', 'tracker']);
  for (const key of Object.keys(McpEntry.shape)) expect(page).toContain(`\`${key}\``);
  expect(page).toContain(`at most ${MAX_MCP_SERVERS} servers`);
  const [json = ''] = blocks('Of a project', 'json');
  const { servers, fault } = readMcpJson(json);
  expect([fault, [...servers.values()].filter((one) => 'fault' in one), servers.size]).toEqual([null, [], 2]);
});

const offerOf = (permissions: Permission[]): McpOffer => ({
  server: 'memory',
  runs: 'x',
  config: 'c',
  tools: [{ name: 'mcp__memory__t', tool: 't', description: 'd', inputSchema: {}, permissions }],
});
const classed = (permissions: Permission[]): Tool => {
  const said = { name: 't', title: null, description: 'd', inputSchema: {} };
  const listings = new Listings(null);
  void listings.heard('c', { tools: [said], resources: false });
  return mcpTools([offerOf(permissions)], keptAccess(listings))[0]!;
};

/** What becomes of a call of the tool under a rule. */
async function verdictOn(tool: Tool, toml: string): Promise<string> {
  const question = await tool.question?.({}, { workspace: { folder: '/w' } } as QuestionContext);
  const found = parseRules(toml, '/config.toml', 'user');
  const { reversible = true, nameable = false } = question ?? {};
  const call = { tool: tool.name, permissions: tool.permissions, targets: { values: ['{}'], path: false } };
  const action = actionOf({ ...call, reversible, nameable, asks: question != null });
  return judge(action, { rules: found.rules, faults: found.faults, alwaysAsk: NO_FILES }, [], NOW).effect;
}

const rows = [
  ...page.matchAll(/^\| ([^|]*?) +\| ((?:not )?asked about[^|]*?) +\| ([^|]*?) +\| (unknown|again) +\|$/gm),
];
test('the table of permissions has five rows', () => expect(rows.length).toBe(5));

test.for(rows.map(([, ...cells]) => cells as [string, string, string, string]))(
  'a tool with the permissions %s behaves as the table says: %s',
  async (cells) => {
    const [names, asked, needed, after] = cells;
    const tool = classed([...names.matchAll(/`(\w+)`/g)].map(([, name]) => Permission.parse(name)));
    const question = await tool.question?.({}, { workspace: { folder: '/w' } } as QuestionContext);
    const said = question ? `asked about${question.reversible ? '' : ', with a second step'}` : 'not asked about';
    const rule = (name: string, more = ''): string =>
      `[[permissions.rules]]\neffect = "allow"\ntool = "${name}"\n${more}`;
    const [all, own] = [
      await verdictOn(tool, rule('mcp__memory__*')),
      await verdictOn(tool, rule(tool.name, 'pattern = "*"')),
    ];
    const allowing =
      all === 'allow' ? 'also with `mcp__SERVER__*`' : 'only with the name of the tool itself, and a pattern';
    expect([said, own, question ? allowing : 'needs none']).toEqual([asked, 'allow', needed]);
    expect(tool.recovery).toBe(after === 'again' ? 'repeat' : after);
  },
);

test('the example rules decide as the page says', async () => {
  const on = (name: string, permissions: Permission[]): Promise<string> => {
    const tool = { ...classed(permissions), name: `mcp__${name}` };
    return verdictOn(tool, rules);
  };
  const settings = checkSettings(entries);
  if (!settings.ok) throw new Error('The entries do not fit');
  const memory = settings.value.mcp.servers['memory'];
  expect(await on('memory__read_graph', [...(memory?.permissions ?? [])])).toBe('allow');
  expect(await on('memory__create_entities', [...(memory?.tool_permissions['create_entities'] ?? [])])).toBe('allow');
  expect(await on('memory__create_relations', ['DatabaseWrite'])).toBe('ask');
  expect(await on('tracker__delete_issue', [])).toBe('deny');
});
