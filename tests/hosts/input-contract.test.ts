/** An agent that takes JSON: its prompt is checked on every way in, before anything starts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { definitionOf } from '../support/envelope.ts';
import { delegateTo, spawn } from '../support/fake-model/scenarios.ts';
import { type Blocks, Script, text, toolUse } from '../support/fake-model/script.ts';
import { startChain, startLed } from '../support/flows/chains.ts';
import { sharedEngine } from '../support/shared-engine.ts';
import { AcpClient } from './support/acp-client.ts';
import { acpOver } from './support/acp-lines.ts';
import { inProcess } from './support/engine.ts';
import { machine } from './support/process.ts';

const { start } = sharedEngine();

const schema = { type: 'object', properties: { facts: { type: 'array' } }, required: ['facts'] };
const input = { format: 'json' as const, schema };
const DRAFT = definitionOf({ name: 'draft', systemPrompt: 'You draft.', input, next: ['polish'] });
const POLISH = definitionOf({ name: 'polish', systemPrompt: 'You polish.' });
const AGENTS = [DRAFT, POLISH];
const GOOD = '{"facts":["It rains."]}';
const WHY = /draft takes JSON as its prompt, and this cannot be used: it does not fit the schema: .*facts/;

const script = (call: Blocks = []): Script => {
  const all = new Script()
    .on({ system: /You draft\./ })
    .reply([text('It rains.')])
    .on({ system: /You polish\./ })
    .reply([text('Rain is coming.')]);
  if (call.length > 0) all.on({ turn: 1 }).reply(call);
  return all.on({}).reply([text('Done.')]);
};
const batch = (prompt: string) =>
  toolUse('parallel_tasks', { operation: 'execute_batch', tasks: [{ agent_id: 'draft', prompt }] });

test.for([
  ['delegate', (prompt: string) => delegateTo('draft', prompt), 'draft'],
  ['spawn', (prompt: string) => spawn({ name: 'finder', agent: 'draft', prompt }), 'finder'],
  ['parallel', batch, 'draft'],
] as const)(
  'rejects a prompt that breaks the contract in %s, and starts an agent with a valid prompt',
  async ([, call, name]) => {
    const engine = await startChain(script([call('{"fact":1}'), call(GOOD)]), {}, AGENTS, start);
    const end = await engine.ask('Go');
    const [refused] = engine.of('tool-end').map(({ entry }) => entry);
    expect(refused).toMatchObject({ status: 'error' });
    expect(refused!.output).toMatch(new RegExp(WHY.source.replace('draft', name)));
    expect(end.subAgents.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      [name, 'completed'],
      ['polish', 'completed'],
    ]);
  },
);

test('refuses an edit of the prompt that breaks the contract', async () => {
  const engine = await startChain(script([delegateTo('draft', GOOD)]), { person: () => null }, AGENTS, start);
  const { workflowId } = await engine.send('Go');
  const { approval } = await engine.event('approval-request');
  const [item] = approval.subject.kind === 'envelopes' ? approval.subject.items : [];
  const answer = { kind: 'edit', value: { ...item!.envelope, prompt: 'It rains.' } } as const;
  const decide = { approvalId: approval.id, item: 0, answer };
  await expect(engine.runtime.request('approval.decide', decide)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/draft takes JSON as its prompt.*it is not JSON/) as string,
  });
  await engine.runtime.request('approval.decide', { ...decide, answer: { kind: 'allow' } });
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
});

test('lists the schema and the chain of each agent for a lead', async () => {
  const engine = await startChain(script([toolUse('delegate_task', { operation: 'list_agents' })]), {}, AGENTS, start);
  await engine.ask('Go');
  const [listed] = engine.of('tool-end').map(({ entry }) => JSON.parse(entry.output) as { agents: unknown[] });
  const { description } = DRAFT;
  expect(listed!.agents).toContainEqual({ name: 'draft', description, input_schema: schema, chain: ['polish'] });
  expect(listed!.agents).toContainEqual({ name: 'polish', description: POLISH.description });
});

test('refuses a message to a lead that breaks its contract, and stores nothing of it', async () => {
  const engine = await startLed(script(), 'draft', {}, { definitions: AGENTS, start });
  await expect(engine.send('It rains.')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(engine.send('{"fact":1}')).rejects.toMatchObject({ message: expect.stringMatching(WHY) as string });
  expect((await engine.store.workflows({ conversationId: engine.conversationId, limit: 1 })).items).toEqual([]);
  expect(await engine.ask(GOOD)).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
  const preview = { folder: engine.folder, agent: 'draft' };
  expect((await engine.runtime.request('agents.preview', preview)).envelope.stages).toHaveLength(1);
});

test('refuses a prompt over ACP that breaks the contract of the lead', async () => {
  const lead = { ...DRAFT, name: 'lead', role: 'primary' as const };
  const engine = await startChain(script(), {}, [...AGENTS, lead], start);
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize({});
  const id = await client.open(engine.folder);
  await expect(client.prompt(id, 'It rains.')).rejects.toThrow(/lead takes JSON as its prompt/);
  expect(await client.prompt(id, GOOD)).toBe('end_turn');
});

test('refuses a prompt of the command line that breaks the contract of the lead', async () => {
  const home = await machine(script());
  const folder = join(home.home, 'agents');
  await mkdir(folder, { recursive: true });
  const head = `name: draft\ndescription: Drafts.\ninput_format: json\ninput_schema: ${JSON.stringify(schema)}`;
  await writeFile(join(folder, 'draft.md'), `---\n${head}\n---\nYou draft.\n`);
  const triad = inProcess(home, 'disk');
  const refused = await triad(['run', '--agent', 'draft', '{"fact":1}']);
  expect([refused.code === 0, refused.out]).toEqual([false, '']);
  expect(refused.err).toMatch(WHY);
  expect(await triad(['sessions', 'list', '--json'])).toMatchObject({ code: 0, out: '[]\n' });
  expect(await triad(['run', '--agent', 'draft', GOOD])).toMatchObject({ code: 0, out: 'It rains.\n' });
});
