/** Every way in which a run can start: the runs that are recorded are its envelope and the stages that it names, no more and no less. */
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { newId } from '#core/base/ids.ts';
import type { RunRow } from '#contract/view.ts';
import { definitionOf } from '../support/envelope.ts';
import type { Harness, HarnessOptions } from '../support/engine.ts';
import { delegateTo, spawn } from '../support/fake-model/scenarios.ts';
import { type Blocks, Script, text, toolUse } from '../support/fake-model/script.ts';
import { FACTS, startChain, startLed } from '../support/flows/chains.ts';
import { sharedEngine } from '../support/shared-engine.ts';
import { AcpClient } from './support/acp-client.ts';
import { acpOver } from './support/acp-lines.ts';

const { start } = sharedEngine();

const flow = {
  type: 'judge' as const,
  rounds: 2,
  primary: 'research',
  coagent: 'checker',
  handoff: { type: 'static' as const, text: 'Look at this.' },
};
/** `research`, a lead and a composition lead to the same two stages. */
const AGENTS = [
  definitionOf({ name: 'research', systemPrompt: 'You research.', next: ['draft'] }),
  definitionOf({ name: 'pair', systemPrompt: 'You research.', next: ['draft'], flow }),
  definitionOf({ name: 'checker', systemPrompt: 'You check.' }),
  definitionOf({
    name: 'draft',
    systemPrompt: 'You draft.',
    input: { format: 'json', schema: FACTS },
    next: ['polish'],
  }),
  definitionOf({ name: 'polish', systemPrompt: 'You polish.' }),
];
const LED = definitionOf({ name: 'lead', role: 'primary', systemPrompt: 'You research.', next: ['draft'] });

/** The lead makes this call, then says that it is done. `breaks`: the agent whose first request fails. */
function script(call: Blocks = [], breaks?: string): Script {
  const all = new Script();
  if (breaks !== undefined)
    all
      .on({ system: new RegExp(`You ${breaks}\\.`) })
      .reply([text('x')], { times: 1, status: 400, error: { type: 'invalid_request_error', message: 'It broke' } });
  all.on({ system: /You research\./ }).reply([text('{"facts":["It rains."]}')]);
  all.on({ system: /You check\./, turn: 1 }).reply([toolUse('task_complete', { summary: 'Good.' })]);
  all.on({ system: /You draft\./ }).reply([text('It rains, they say.')]);
  all.on({ system: /You polish\./ }).reply([text('Rain is coming.')]);
  if (call.length > 0) all.on({ turn: 1 }).reply(call);
  return all.on({}).reply([text('Done.')]);
}

const rowsOf = async ({ store }: Pick<Harness, 'store'>, conversationId: string): Promise<RunRow[]> => {
  const { items } = await store.workflows({ conversationId, limit: 100 });
  return store.runsOf(items.map(({ id }) => id));
};

const waits = { timeout: 20_000 };
const outcomeIn = async ({ store }: Pick<Harness, 'store'>, conversationId: string) =>
  (await store.workflows({ conversationId, limit: 1 })).items[0]?.outcome;

/** Checks each run against the stages and the coagent that its envelope names. Returns how many stages there were. */
async function expectAllStages(engine: Pick<Harness, 'store'>, conversationId: string): Promise<number> {
  const runs = await rowsOf(engine, conversationId);
  for (const run of runs) {
    const below = runs.filter(({ parentRunId }) => parentRunId === run.id);
    const stages = below.filter(({ kind }) => kind === 'chain').sort((a, b) => a.place! - b.place!);
    expect(stages.map(({ agent }) => agent)).toEqual(run.envelope.stages.map(({ agent }) => agent));
    expect(stages.map(({ place }) => place)).toEqual(stages.map((_, index) => index + 1));
    expect([run, ...stages].map(({ outcome }) => outcome)).toEqual([run, ...stages].map(() => 'completed'));
    expect(below.some(({ kind }) => kind === 'coagent')).toBe(run.envelope.flow?.coagent !== undefined);
  }
  return runs.filter(({ kind }) => kind === 'chain').length;
}

const started = (call: Blocks, options: HarnessOptions = {}) => startChain(script(call), options, AGENTS, start);
const led = (agent: string, breaks?: string) => startLed(script([], breaks), agent, {}, { definitions: AGENTS, start });

test.for([
  ['spawn', [spawn({ name: 'finder', agent: 'research', prompt: 'Find facts.' })], 2],
  ['delegate', [delegateTo('research', 'Find facts.')], 2],
  ['composition', [delegateTo('pair', 'Find facts.')], 2],
  [
    ...(['parallel'] as const),
    [
      toolUse('parallel_tasks', {
        operation: 'execute_batch',
        tasks: ['research', 'pair'].map((agent) => ({ agent_id: agent, prompt: 'Find facts.' })),
      }),
    ],
    ...([4] as const),
  ],
] as const)('records the stages of a sub-agent that is started by %s', async ([, call, stages]) => {
  const engine = await started([...call]);
  await engine.ask('Go');
  expect(await expectAllStages(engine, engine.conversationId)).toBe(stages);
});

test.for(['research', 'pair'])('records the stages of %s as the lead', async (agent) => {
  const engine = await led(agent);
  expect(await engine.ask('Find facts.')).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
  expect(await expectAllStages(engine, engine.conversationId)).toBe(2);
});

test('records the stages of an agent that is tried on its page', async () => {
  const engine = await started([]);
  const id = newId();
  const begin = { folder: engine.folder, agent: 'research' };
  const message = { conversationId: id, text: 'Find facts.', via: 'app', sentAs: id, begin } as const;
  await engine.runtime.request('message.send', message);
  await expect.poll(() => outcomeIn(engine, id), waits).toBe('completed');
  expect(await expectAllStages(engine, id)).toBe(2);
});

test('records the stages of a lead over ACP, and sends only the last answer as the message', async () => {
  const engine = await startChain(script(), {}, [...AGENTS, LED], start);
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize({});
  const id = await client.open(engine.folder);
  expect(await client.prompt(id, 'Find facts.')).toBe('end_turn');
  expect(await expectAllStages(engine, id)).toBe(2);
  expect(client.text(id)).toBe('Rain is coming.');
});

test('names the coagent of a lead once over ACP', async () => {
  const { next: _, ...paired } = { ...LED, flow };
  const engine = await startChain(script(), {}, [...AGENTS, paired], start);
  const lines = acpOver(engine.runtime);
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  await client.initialize({});
  const id = await client.open(engine.folder);
  expect(await client.prompt(id, 'Find facts.')).toBe('end_turn');
  expect(client.calls(id).map(({ title }) => title)).toEqual(['checker']);
  expect(await expectAllStages(engine, id)).toBe(0);
});

test.for(['draft', 'polish'])('records each stage once if %s fails and is retried', async (breaks) => {
  const engine = await led('research', breaks);
  const end = await engine.ask('Find facts.');
  expect(end.outcome).toBe('error');
  const failed = (await rowsOf(engine, engine.conversationId)).find(({ outcome }) => outcome === 'error');
  await engine.runtime.request('run.retry', { runId: failed!.id });
  await engine.event('workflow-end', ({ seq }) => seq > end.seq);
  expect(await expectAllStages(engine, engine.conversationId)).toBe(2);
});

test('records the stages of a lead in a fork, also in a fork from a step', async () => {
  const engine = await led('research');
  const { workflowId } = await engine.ask('Find facts.');
  const from = { conversationId: engine.conversationId, workflowId };
  const copy = await engine.runtime.request('conversation.fork', from);
  expect(await expectAllStages(engine, copy.id)).toBe(2);
  const [, ...stages] = await rowsOf(engine, copy.id);
  expect(stages.map(({ text: words, usage }) => [words, usage.requests])).toEqual([
    ['It rains, they say.', 0],
    ['Rain is coming.', 0],
  ]);
  const other = await engine.runtime.request('conversation.fork', { ...from, entry: 0, goOn: true });
  await expect.poll(() => outcomeIn(engine, other.id), waits).toBe('completed');
  expect(await expectAllStages(engine, other.id)).toBe(2);
});
