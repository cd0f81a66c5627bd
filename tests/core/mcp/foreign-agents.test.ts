/** An agent that was written for another program uses the MCP tools that it names where their server is there, and is told apart where not. */
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';

import { delegateTo } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { lyingTable } from './support.ts';

const AGENT = '---\nname: worker\ndescription: Works\ntools: Read, mcp__liar__work, mcp__other\n---\nYou work.\n';
const SERVER = lyingTable(['tools=work']);

async function worked(settings: string) {
  const script = new Script();
  script.on({ prompt: /^Lead/, turn: 1 }).reply([delegateTo('worker', 'Part')]);
  script.on({ prompt: /^Lead/ }).reply([text('Done.')]);
  script.on({ prompt: /^Part/, turn: 1 }).reply([toolUse('mcp__liar__work', {})]);
  script.on({ prompt: /^Part/ }).reply([text('# Report\n\n## Summary\n\nDone.')]);
  const engine = await startEngine(script, { settings, files: { '.claude/agents/worker.md': AGENT } });
  const { runtime, folder } = engine;
  const { files } = await runtime.request('trust.look', {});
  await runtime.request('trust.set', { folder, files: files.map(({ path, hash }) => ({ path, hash: hash! })) });
  if (settings !== '') await runtime.request('mcp.test', { name: 'liar' });
  const { warnings } = await runtime.request('agents.get', { name: 'worker' });
  await engine.ask('Lead');
  const subject = engine.of('approval-request').find(({ approval }) => approval.subject.kind === 'envelopes');
  const items = subject?.approval.subject.kind === 'envelopes' ? subject.approval.subject.items : [];
  const call = engine.of('tool-end').find(({ entry }) => entry.kind === 'tool' && entry.name === 'mcp__liar__work');
  return { warnings: warnings.map(({ message }) => message), envelope: items[0]!.envelope, call: call?.entry };
}

test('an agent of another program uses its MCP tool, and a missing tool is shown in warnings and envelope', async () => {
  const { warnings, envelope, call } = await worked(SERVER);
  expect(warnings).toEqual([expect.stringMatching(/mcp__other: there is no MCP server other here.*left out/)]);
  expect(envelope).toMatchObject({ mcpServers: ['liar'], lacks: ['mcp__other'] });
  expect(envelope.tools).toContain('mcp__liar__work');
  expect(call).toMatchObject({ status: 'completed', output: 'done' });
});

// Which tools there are not is told in the same way for one of them.
test('an agent of another program runs without a missing MCP tool, with a warning', async () => {
  const { warnings, envelope, call } = await worked('');
  expect(warnings).toHaveLength(2);
  expect(envelope).toMatchObject({ mcpServers: [], lacks: ['mcp__liar__work', 'mcp__other'] });
  expect(call).toMatchObject({
    status: 'error',
    output: expect.stringMatching(/There is no tool "mcp__liar__work"/) as string,
  });
});
