/** Kill -9 after durable events of a chain, within its stages and between them: nothing that was finished is asked again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CHAIN, chainScript, GOOD } from '../../support/flows/chains.ts';
import { type KillPoint, killAfterEach, live, liveUntil } from '../../support/crash.ts';
import type { Result } from '../../support/crash-life.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';
import { fullTest } from '../../support/samples.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-chain-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));
const definitions = [...CHAIN];

/** Checks a resumed chain. The process was killed after event `seq` and after `before` requests. */
function expectWhole(
  model: FakeModel,
  { end, events, runs, workflow }: Result,
  { before, seq }: { before: number; seq: number },
): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  expect(end.subAgents.map(({ agent, outcome }) => [agent, outcome])).toEqual(
    Object.keys(GOOD).map((name) => [name, 'completed']),
  );
  expect(end.outcome).toBe('completed');
  expect(workflow).toMatchObject({ subAgentCount: 1 });
  expect(runs.map(({ status, place }) => [status, place ?? null])).toEqual([
    ...[null, null, 1, 2].map((place) => ['completed', place]),
  ]);
  expect(events.filter(({ type }) => type === 'approval-request')).toHaveLength(1);
  const result = events.find((event) => event.type === 'tool-end');
  const output = result?.type === 'tool-end' ? result.entry.output : '';
  expect(JSON.parse(output)).toMatchObject({ success: true, report: 'Rain is coming.', chained_stages: [{}, {}] });
  // An agent with a stored answer sends no further request.
  const agents = events
    .slice(0, seq)
    .flatMap((event) => (event.type === 'message-end' && event.entry.kind === 'assistant' ? [event.agent] : []));
  const laterPrompts = model.requests.slice(before).map(({ seen }) => seen.system);
  for (const agent of agents.filter((name) => name in GOOD))
    expect(laterPrompts.filter((system) => system.includes(`You ${agent}.`))).toEqual([]);
}

async function pointAt(seq: number): Promise<KillPoint> {
  const model = await startFakeModel(chainScript());
  const check: KillPoint['check'] = (result, before) => expectWhole(model, result, { before, seq });
  return { model, life: { data: join(root, `at-${seq}`), folder: root, definitions }, check };
}

test('a chain killed after the end of its first run resumes without repeating finished requests', async () => {
  const model = await startFakeModel(chainScript());
  const life = { data: join(root, 'in-memory'), folder: root, url: model.url, definitions };
  const resume = await liveUntil('run-end', life);
  const before = model.requests.length;
  const result = await resume();
  expectWhole(model, result, { before, seq: result.events.find(({ type }) => type === 'run-end')!.seq });
  await model.close();
});

test('a lead killed before its first chain stage resumes without a second request of the lead', async () => {
  const script = chainScript();
  // The agent leads here: no rule for a lead above it.
  script.rules.splice(0, 2);
  const model = await startFakeModel(script);
  const [first, ...stages] = CHAIN;
  const led = [{ ...first!, name: 'lead', role: 'primary' as const }, ...stages];
  const life = { data: join(root, 'lead-in-memory'), folder: root, url: model.url, definitions: led };
  const { end, runs, workflow } = await (await liveUntil('run-end', life))();
  expect(end).toMatchObject({ outcome: 'completed', text: 'Rain is coming.' });
  expect(runs.map(({ agent, attempt, outcome }) => [agent, attempt, outcome])).toEqual([
    ['lead', 1, 'completed'],
    ['draft', expect.any(Number), 'completed'],
    ['polish', 1, 'completed'],
  ]);
  expect(model.requests.filter(({ seen }) => seen.system.includes('You research.'))).toHaveLength(1);
  expect(workflow.usage.outputTokens).toBe(runs.reduce((sum, { usage }) => sum + usage.outputTokens, 0));
  await model.close();
});

fullTest(
  'tests/core/workflows/crash-chain.test.ts › a chain killed after the end of its first run resumes without repeating finished requests',
)('after many events', { timeout: 600_000 }, async () => {
  const model = await startFakeModel(chainScript());
  const life = { mode: 'start', data: join(root, 'whole'), url: model.url, folder: root, groupSize: 1 } as const;
  const whole = await live({ ...life, definitions });
  await model.close();
  const events = whole?.events ?? [];
  expect(events.length).toBeGreaterThan(30);
  await killAfterEach(events.slice(0, -1), pointAt);
});
