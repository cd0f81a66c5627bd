/** spawn_agent with background: its lead goes on with the id, lists and ends what works, and gets each report once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { killAfterEach, type KillPoint, live } from '../../support/crash.ts';
import { type Harness, outcomes, outputOf, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { LEAD, reportOf } from '../../support/fake-model/scenarios.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';

const start = (name: string) =>
  toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Inspect ${name}.`, background: true });
const list = toolUse('spawn_agent', { operation: 'list_children' });
const idIn = (result: string | undefined): string => String(outputOf(result).child_id);
const resultsOf = (engine: Harness) =>
  engine.of('tool-end').flatMap(({ entry, parentRunId }) => (parentRunId === null ? [outputOf(entry.output)] : []));
const handedOver = (engine: Harness) =>
  engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'user' && entry.reportsOf ? [entry] : []));

/** The agents of the workflow that was started last. */
type AgentsOfFolder = Awaited<ReturnType<Harness['agents']['of']>>;

function registryOf(engine: Harness): () => AgentsOfFolder | null {
  let registry: AgentsOfFolder | null = null;
  const read = engine.agents.of.bind(engine.agents);
  vi.spyOn(engine.agents, 'of').mockImplementation(async (folder) => (registry = await read(folder)));
  return () => registry;
}

const temporaries = (registry: AgentsOfFolder | null) =>
  (registry?.list() ?? []).filter(({ lifecycle }) => lifecycle === 'temporary');

/** The names of the temporary agents that are registered now. */
function temporariesOf(engine: Harness): () => string[] {
  const registry = registryOf(engine);
  return () => temporaries(registry()).map(({ name }) => name);
}

/** A lead that waits for one in the background, which never ends by itself. */
function waitingFor(name: string): Script {
  return new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([start(name)])
    .on(LEAD)
    .reply([text('I wait.')])
    .on({ prompt: new RegExp(`Inspect ${name}`) })
    .reply([text('Never.')], { hangAfter: 1 });
}

describe('a sub-agent in the background', () => {
  test('lets the lead continue at once and hands over its report before the workflow ends', async () => {
    const held = new Gate();
    const script = new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent parser/ })
      .reply((seen) => [text(seen.asked.includes('# Report: parser') ? 'It is there.' : 'It is missing.')])
      .on({ ...LEAD, turn: 1 })
      .reply([start('parser')])
      .on({ ...LEAD, turn: 2 })
      .reply([list])
      .on(LEAD)
      .reply(() => {
        held.open();
        return [text('I have gone on.')];
      })
      .on({ prompt: /Inspect parser/ })
      .reply([text(reportOf('parser'))], { hold: held.at(0) });
    const engine = await startEngine(script);
    const names = temporariesOf(engine);
    const { workflowId } = await engine.send('Go');
    await held.reached;
    expect(names()).toEqual(['parser']);
    const end = await engine.ended(workflowId);
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    expect(end.text).toBe('It is there.');
    const [started, listed] = resultsOf(engine);
    const { runId } = end.subAgents[0]!;
    expect(started).toMatchObject({
      success: true,
      child_id: runId,
      background: true,
      message:
        'It works in the background. Its report is handed to you when it has ended: go on, and do not ask for it.',
    });
    expect(started).not.toHaveProperty('changed_by_person');
    expect(listed?.children).toMatchObject([{ child_id: runId, name: 'parser' }]);
    expect(handedOver(engine).map(({ reportsOf }) => reportsOf)).toEqual([[runId]]);
    expect(names()).toEqual([]);
  });

  test('is described as such in its approval request, and a rejection is returned to the lead at once', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([start('parser')])
      .on(LEAD)
      .reply(() => {
        left.push(...names());
        return [text('Then not.')];
      });
    const engine = await startEngine(script, { person: () => ({ kind: 'reject', reason: 'Not now' }) });
    const names = temporariesOf(engine);
    const left: string[] = [];
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'rejected']);
    expect(engine.of('approval-request')[0]?.approval).toMatchObject({
      title: expect.stringContaining('in the background') as string,
      description: expect.stringMatching(/^(?=.{1,199}$).*its lead goes on meanwhile/) as string,
      subject: { background: true },
    });
    expect(resultsOf(engine)).toMatchObject([{ success: false, outcome: 'rejected' }]);
    expect(left, 'it is not registered any more').toEqual([]);
    expect(handedOver(engine)).toEqual([]);
  });

  test('can be terminated: its request is aborted, its agent is unregistered, and the lead gets the outcome', async () => {
    const asked = new Gate();
    const seen: string[][] = [];
    const script = new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent parser/ })
      .reply(() => {
        seen.push(names());
        return [text('It was ended.')];
      })
      .on({ ...LEAD, turn: 1 })
      .reply([start('parser')])
      .on({ ...LEAD, turn: 2 })
      .reply((seen) => [toolUse('spawn_agent', { operation: 'terminate', child_id: idIn(seen.results[0]?.text) })], {
        hold: asked.at(0),
      })
      .on(LEAD)
      .reply([text('I wait.')])
      .on({ prompt: /Inspect parser/ })
      .reply(
        () => {
          seen.push(names());
          asked.open();
          return [text('Half of it. Never all.', { deltas: 2 })];
        },
        { hangAfter: 4 },
      );
    const engine = await startEngine(script);
    const names = temporariesOf(engine);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'cancelled']);
    expect(end.text).toBe('It was ended.');
    const child = engine.model.requests.find(({ seen }) => seen.prompt === 'Inspect parser.');
    expect(child?.closedAt).not.toBeNull();
    expect(seen, 'while it works, and when its lead is told').toEqual([['parser'], []]);
    const [{ text: told } = { text: '' }] = handedOver(engine);
    expect(told).toMatch(/outcome cancelled \(Terminated by the lead\)/);
  });

  test('is listed as pending while another sub-agent uses the only slot, and never starts once terminated', async () => {
    const held = new Gate();
    const script = new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent first/ })
      .reply([text('One is there.')])
      .on({ ...LEAD, turn: 1 })
      .reply([start('first'), start('second')])
      .on({ ...LEAD, turn: 2 })
      .reply([list])
      .on({ ...LEAD, turn: 3 })
      .reply((seen) => {
        const [, second] = outputOf(seen.results[0]?.text).children ?? [];
        return [toolUse('spawn_agent', { operation: 'terminate', child_id: second?.child_id })];
      })
      .on(LEAD)
      .reply(() => {
        held.open();
        return [text('I wait.')];
      })
      .on({ prompt: /Inspect first/ })
      .reply([text(reportOf('first'))], { hold: held.at(0) });
    const engine = await startEngine(script, { settings: '[limits]\nmax_concurrent = 1\n' });
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'cancelled']);
    const [, , listed] = resultsOf(engine);
    expect(listed?.children).toMatchObject([{ status: 'running' }, { status: 'pending' }]);
    expect(engine.of('run-start').map(({ agent }) => agent)).not.toContain('second');
  });

  test('is cancelled together with its lead when the workflow is stopped', async () => {
    const engine = await startEngine(waitingFor('parser'));
    const names = temporariesOf(engine);
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => seen.prompt === 'Inspect parser.');
    await engine.runtime.request('workflow.stop', { workflowId });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['cancelled', 'cancelled']);
    await eventually(() => expect(names()).toEqual([]));
  });
});

describe('temporary agents left in the registry', () => {
  test('are removed by a cleanup unless they still work, and are removed when their lead ends', async () => {
    const engine = await startEngine(waitingFor('parser'));
    const registry = registryOf(engine);
    const cleanup = () => engine.runtime.request('agents.cleanup', {});
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => seen.prompt === 'Inspect parser.');
    const { runId } = await engine.event('run-start', ({ parentRunId }) => parentRunId !== null);
    const working = [{ runId, agent: 'parser' }];
    expect(await cleanup()).toEqual({ removed: 0, working });
    const [parser] = temporaries(registry());
    registry()?.register(parser!, 'left behind');
    expect(await cleanup()).toEqual({ removed: 1, working });
    registry()?.register(parser!, 'left behind');
    await engine.runtime.request('workflow.stop', { workflowId });
    await engine.ended(workflowId);
    expect(temporaries(registry())).toEqual([]);
    expect(await cleanup()).toEqual({ removed: 0, working: [] });
  });
});

describe('kill -9 while a sub-agent works in the background', () => {
  const script = () =>
    new Script()
      .on({ ...LEAD, asked: /Report of the sub-agent parser/ })
      .reply([text('It is there.')])
      .on({ ...LEAD, turn: 1 })
      .reply([start('parser')])
      .on(LEAD)
      .reply([text('I wait.')])
      .on({ prompt: /Inspect parser/ })
      .reply([text(reportOf('parser'))]);

  test(
    'resumes and hands the report over once after a few durable events; in the full run after many',
    { timeout: 600_000 },
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'triad-background-'));
      onTestFinished(() => rm(root, { recursive: true, force: true }));
      const model = await startFakeModel(script());
      const whole = await live({
        mode: 'start',
        data: join(root, 'whole'),
        url: model.url,
        folder: root,
        groupSize: 1,
      });
      await model.close();
      const pointAt = async (seq: number): Promise<KillPoint> => ({
        model: await startFakeModel(script()),
        life: { data: join(root, `at-${seq}`), folder: root },
        check: ({ end, events }) => {
          expect(outcomes(end)).toEqual(['completed', 'completed']);
          expect(end.text).toBe('It is there.');
          const handed = events.flatMap((event) =>
            event.type === 'message-end' && event.entry.kind === 'user' ? (event.entry.reportsOf ?? []) : [],
          );
          expect(handed, 'its report is handed over once').toEqual([end.subAgents[0]?.runId]);
          expect(events.filter(({ type }) => type === 'approval-request')).toHaveLength(1);
        },
      });
      await killAfterEach((whole?.events ?? []).slice(0, -1), pointAt, ({ type }) =>
        /^(tool|run|approval)-/.test(type),
      );
    },
  );
});
