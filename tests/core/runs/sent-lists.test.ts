/** Agents and tools that a request has room for: the rest is reported, and works by name. */
import { expect, test } from 'vitest';
import type { ToolSpec } from '#core/model/model.ts';
import { describeUnsentTools, selectSentTools } from '#core/runs/sent-tools.ts';
import { lyingTable } from '../mcp/support.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { CHILD, LEAD } from '../../support/fake-model/scenarios.ts';
import { inFullRun } from '../../support/samples.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

/** Most characters of the first request: those of the program, of the list of agents, and of other tools with quotes. */
const MAX_BODY = 30_000 + 16_000 + 110_000;

const agentFile = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${`Reviews the module ${name} and reports what is wrong with it. `.repeat(4)}\n${more}---\nYou are ${name}.\n`;

function agentFiles(count: number, more = ''): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `helper-${String(index).padStart(4, '0')}`);
  return Object.fromEntries(names.map((name) => [`.triad/agents/${name}.md`, agentFile(name, more)]));
}

async function trustAll({ runtime, folder }: Harness): Promise<void> {
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
}

const bodySize = ({ model }: Harness): number => JSON.stringify(model.requests[0]!.body).length;
const getSystemPrompt = ({ model }: Harness, request = 0): string => model.requests[request]!.seen.system;
const toolNames = ({ model }: Harness, request = 0): string[] =>
  (model.requests[request]!.body.tools ?? []).map(({ name }) => name);
const warnings = (engine: Harness): string[] =>
  engine.of('notice').flatMap(({ level, text: words }) => (level === 'warning' ? [words] : []));

const COUNT = inFullRun ? 1000 : 300;
const LAST = `helper-${String(COUNT - 1).padStart(4, '0')}`;

test('sends only part of a long list of agents and tools, and the rest work by name', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('delegate_task', { operation: 'delegate', agent_id: LAST, prompt: 'Review it.' })])
    .on({ ...LEAD, step: 2 })
    .reply([toolUse('delegate_task', { operation: 'list_agents' })])
    .on(LEAD)
    .reply([text('Done.')])
    .on(CHILD)
    .reply([text('# Report\n\nIt is fine.')]);
  const engine = await startEngine(script, { files: agentFiles(COUNT), settings: lyingTable(['wide']) });
  await trustAll(engine);
  const end = await engine.ask('Review everything');
  expect(end).toMatchObject({ outcome: 'completed', subAgents: [{ agent: LAST, outcome: 'completed' }] });

  expect(bodySize(engine)).toBeLessThan(MAX_BODY);
  const listed = getSystemPrompt(engine).match(/^- helper-\d{4}: /gm) ?? [];
  expect(listed.length).toBeGreaterThan(100);
  expect(listed).not.toContain(`- ${LAST}: `);
  const [row] = engine.of('run-queue');
  const { agents, moreAgents } = row!.envelope;
  expect(agents!.length + moreAgents!).toBe(COUNT + 9);
  expect(getSystemPrompt(engine)).toContain(
    `${moreAgents} more agents are defined, and can be used by name. delegate_task lists all with the operation list_agents.`,
  );
  const sent = toolNames(engine).filter((name) => name.startsWith('mcp__liar__'));
  expect(sent.length).toBeGreaterThan(100);
  // Each request of the run has the same list.
  expect([getSystemPrompt(engine, 2), toolNames(engine, 2)]).toEqual([getSystemPrompt(engine), toolNames(engine)]);

  expect(warnings(engine)).toEqual([
    `${moreAgents} of ${(COUNT + 9).toLocaleString('en-US')} agents are not listed for the lead. Name an agent in your message to list it, or delete agents that you do not need`,
    `${492 - sent.length} of 492 tools of the MCP server liar are not sent to the model: together they are too long. Name the tools that you need in "tools" of the server, or in an agent file`,
  ]);
  // The child reads no list of agents, and its tools have the same bound.
  const child = engine.model.requests.findIndex(({ seen }) => seen.system.startsWith(`You are ${LAST}`));
  expect(toolNames(engine, child).filter((name) => name.startsWith('mcp__liar__'))).toEqual(sent);
});

test('runs a tool called by name that no request contains', async () => {
  const script = new Script()
    .step([toolUse('mcp__liar__wide-489', {})])
    .step([text('Done.')], { usage: { input: 50_000 } });
  const engine = await startEngine(script, { settings: lyingTable(['wide']) });
  await engine.ask('Work');
  expect(toolNames(engine)).not.toContain('mcp__liar__wide-489');
  const calls = engine.of('tool-end').flatMap(({ entry }) => (entry.kind === 'tool' ? entry.output : []));
  expect(calls).toEqual(['wide-489']);
  const { parts } = await engine.runtime.request('context.state', {
    conversationId: engine.conversationId,
    parts: true,
  });
  const shown = new Map(parts?.map(({ kind, tokens }) => [kind, tokens]));
  const sizes = (engine.model.requests[1]!.body.tools ?? []).map((spec) => JSON.stringify(spec).length);
  const ratio = sizes.reduce((sum, size) => sum + size) / getSystemPrompt(engine, 1).length;
  // JSON adds a little to each tool.
  const shownRatio = shown.get('tools')! / shown.get('system')!;
  expect(shownRatio).toBeGreaterThan(0.8 * ratio);
  expect(shownRatio).toBeLessThan(1.05 * ratio);
});

test('sends a tool to an agent whose file names the tool, even if the lead does not get the tool', async () => {
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('delegate_task', { operation: 'delegate', agent_id: 'narrow', prompt: 'Work.' })])
    .on(LEAD)
    .reply([text('Done.')])
    .on(CHILD)
    .reply([text('# Report\n\nDone.')]);
  const files = { '.triad/agents/narrow.md': agentFile('narrow', 'tools: [mcp__liar__wide-489]\n') };
  const engine = await startEngine(script, { files, settings: lyingTable(['wide']) });
  await trustAll(engine);
  await engine.ask('Delegate it');
  expect(toolNames(engine)).not.toContain('mcp__liar__wide-489');
  expect(toolNames(engine, 1)).toContain('mcp__liar__wide-489');
});

test('limits the list of agents and the tools for single agents, and lists an agent that the message names', async () => {
  const engine = await startEngine(new Script().step([text('Done.')]), {
    files: agentFiles(300, 'expose_as_tool: true\n'),
  });
  await trustAll(engine);
  await engine.ask('Ask helper-0299');
  // The message names it, so it is listed in place of another one.
  expect(getSystemPrompt(engine)).toContain('- helper-0299: ');
  expect(getSystemPrompt(engine)).not.toContain('- helper-0298: ');
  expect(bodySize(engine)).toBeLessThan(MAX_BODY);
  const sent = toolNames(engine).filter((name) => name.startsWith('agent__'));
  expect(sent.length).toBeGreaterThan(50);
  expect(warnings(engine)).toContain(
    `${300 - sent.length} of 300 tools for single agents are not sent to the model: together they are too long. The lead can start these agents by name`,
  );
});

function specsOf(server: string, count: number, chars: number): ToolSpec[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `mcp__${server}__t${String(index).padStart(3, '0')}`,
    description: 'd'.repeat(chars),
    inputSchema: { type: 'object' },
  }));
}

test('sends all tools of small servers and of the program, and only part of a large server', () => {
  const own = { name: 'bash', description: 'd'.repeat(200_000), inputSchema: {} };
  const small = [...specsOf('zed', 20, 300), ...specsOf('notes', 10, 300)];
  const { names, unsent } = selectSentTools([own, ...specsOf('big', 200, 1000), ...small]);
  expect([own, ...small].every(({ name }) => names.has(name))).toBe(true);
  const big = [...names].filter((name) => name.startsWith('mcp__big__'));
  expect(big[0]).toBe('mcp__big__t000');
  expect(unsent).toEqual([{ server: 'big', unsent: 200 - big.length, total: 200 }]);
  expect(describeUnsentTools(unsent[0]!)).toContain(`${200 - big.length} of 200 tools of the MCP server big`);
});

test('sends all tools if they fit', () => {
  const specs = [...specsOf('a', 40, 1000), ...specsOf('b', 40, 1000)];
  const { names, unsent } = selectSentTools(specs);
  expect([names.size, unsent]).toEqual([80, []]);
});
