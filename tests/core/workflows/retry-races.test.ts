/** Two windows, two clicks, a stop in between: what is asked for twice is done once, and who comes too late is told. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { eventually } from '../../support/eventually.ts';
import { answering, yes } from '../../support/compose.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { failingChild, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';

const CONFLICT = { code: 'conflict' };

/** A message "Second" is answered when the gate opens. */
function failingOnce(held: Gate): Script {
  return failingChild(
    new Script().on({ ...LEAD, asked: /^Second/ }).reply([text('Second done')], { hold: held.at(1), times: 1 }),
  );
}

/** The sub-agent has failed, its workflow has ended, and another one of the conversation keeps the line. */
async function failedBehindAnother(view: (store: Harness['store']) => Harness['store'] = (store) => store) {
  const held = new Gate();
  const store = view(await memoryStore());
  const engine = await startEngine(failingOnce(held), { store });
  const { workflowId, subAgents } = await engine.ask('Go');
  const second = await engine.send('Second');
  await engine.model.waitFor(({ seen }) => seen.asked.startsWith('Second'));
  return { engine, workflowId, runId: subAgents[0]!.runId, second: second.workflowId, held };
}

/** The program died while the sub-agent worked, and was started anew on the given view of the same store. */
async function interrupted(view: (store: Harness['store']) => Harness['store'] = (store) => store) {
  const store = await memoryStore();
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'finder', prompt: 'Find it.' })])
    .on(LEAD)
    .reply([text('Lead answer.')])
    .on({ turn: 1 })
    .reply([text('I look'), toolUse('list_directory', { path: '.' })])
    .on({ turn: 2 })
    .reply([text('Almost')], { hangAfter: 3, times: 1 })
    .on({})
    .reply([text('All found.')]);
  const engine = await startEngine(script, { store: lasting(store) });
  const { workflowId } = await engine.send('Go');
  await engine.event('message-delta', (event) => event.text.startsWith('A'));
  await engine.runtime.close();
  const child = (await store.runsOf([workflowId])).find((run) => run.parentRunId !== null)!;
  const runtime = await startAgain(engine, view(store));
  await answering(runtime, yes);
  return { store, runtime, workflowId, runId: child.id, conversationId: engine.conversationId };
}

const retry = ({ runtime }: Pick<Harness, 'runtime'>, runId: string) => runtime.request('run.retry', { runId });

async function attemptsOf(store: Harness['store'], conversationId: string, runId: string): Promise<number[]> {
  const events = await store.events(conversationId, 1, 10_000);
  return events.flatMap((event) => (event.type === 'run-start' && event.runId === runId ? [event.attempt] : []));
}

/** Interrupted; when it is taken up again its lead waits until the gate opens. */
async function heldBack() {
  const held = new Gate();
  let isHeld = false;
  const parts = await interrupted((real) => ({
    ...real,
    // What the lead of the resumed workflow reads before it begins.
    approvalsOf: async (ids) => {
      if (isHeld) await held.pass();
      return real.approvalsOf(ids);
    },
  }));
  isHeld = true;
  return { ...parts, held };
}

const reaches = (store: Harness['store'], workflowId: string, what: object): Promise<void> =>
  eventually(async () => expect(await store.workflow(workflowId)).toMatchObject(what));

describe('two requests for another attempt of a sub-agent', () => {
  test('a retry after a resume is rejected, and the sub-agent gets one new attempt', async () => {
    const { store, runtime, workflowId, runId, conversationId, held } = await heldBack();
    await runtime.request('workflow.resume', { workflowId });
    const late = retry({ runtime }, runId);
    const settled = late.catch(() => undefined);
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 300))]);
    held.open();
    await expect(late).rejects.toMatchObject(CONFLICT);
    await reaches(store, workflowId, { outcome: 'completed', attempt: 2 });
    expect(await attemptsOf(store, conversationId, runId)).toEqual([1, 2]);
  });

  test('a second retry while another workflow runs is rejected, and the retry runs and is counted once', async () => {
    const { engine, workflowId, runId, held } = await failedBehindAnother();
    await retry(engine, runId);
    const second = retry(engine, runId);
    const settled = second.catch(() => undefined);
    await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, 300))]);
    held.open();
    await expect(second).rejects.toMatchObject(CONFLICT);
    await reaches(engine.store, workflowId, { outcome: 'completed', text: 'Now I know all.', attempt: 2 });
    expect(await attemptsOf(engine.store, engine.conversationId, runId)).toEqual([1, 2]);
    const requests = (await engine.store.requestsOf(workflowId)).filter((one) => one.runId === runId);
    const counted = requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(engine.of('workflow-end').at(-1)?.subAgents[0]?.usage.inputTokens).toBe(counted);
  });
});

describe('a stop before the new attempt has started', () => {
  test('of a sub-agent that waits behind another workflow keeps its old outcome, and the lead continues', async () => {
    const { engine, workflowId, runId, held } = await failedBehindAnother();
    await retry(engine, runId);
    expect(await engine.runtime.request('run.stop', { runId })).toMatchObject({ agents: 1, left: 0 });
    held.open();
    await reaches(engine.store, workflowId, { outcome: 'completed', attempt: 2 });
    expect(await attemptsOf(engine.store, engine.conversationId, runId)).toEqual([1]);
    expect(await engine.store.run(runId)).toMatchObject({ outcome: 'error' });
  });

  test('of a sub-agent interrupted by a restart cancels that sub-agent, and the lead continues', async () => {
    const { store, runtime, workflowId, runId, conversationId, held } = await heldBack();
    await retry({ runtime }, runId);
    await runtime.request('run.stop', { runId });
    held.open();
    await reaches(store, workflowId, { outcome: 'completed', attempt: 2 });
    expect(await attemptsOf(store, conversationId, runId)).toEqual([1]);
    expect(await store.run(runId)).toMatchObject({ outcome: 'cancelled' });
  });

  test('of the workflow keeps the workflow cancelled and rejects a second retry', async () => {
    const { engine, workflowId, runId, held } = await failedBehindAnother();
    await retry(engine, runId);
    const late = retry(engine, runId);
    late.catch(() => undefined);
    await engine.runtime.request('workflow.stop', { workflowId });
    held.open();
    await expect(late).rejects.toMatchObject(CONFLICT);
    await reaches(engine.store, workflowId, { outcome: 'cancelled' });
    // Whatever would be taken up again would stand in the line before this one.
    await engine.ask('Third');
    expect(await engine.store.workflow(workflowId)).toMatchObject({ outcome: 'cancelled', attempt: 2 });
    expect(await attemptsOf(engine.store, engine.conversationId, runId)).toEqual([1]);
  });
});

test('rejects a retry requested before a stop if the retry reads the store after the stop', async () => {
  const [begun, reading] = [new Gate(), new Gate()];
  let isSlow = false;
  const { engine, workflowId, runId, held } = await failedBehindAnother((store) => ({
    ...store,
    run: async (id) => {
      const isHeld = isSlow;
      isSlow = false;
      if (isHeld) {
        begun.open();
        await reading.pass();
      }
      return store.run(id);
    },
  }));
  await retry(engine, runId);
  isSlow = true;
  const late = retry(engine, runId);
  late.catch(() => undefined);
  await begun.pass();
  await engine.runtime.request('workflow.stop', { workflowId });
  reading.open();
  await expect(late).rejects.toMatchObject(CONFLICT);
  held.open();
  await engine.ask('Third');
  expect(await engine.store.workflow(workflowId)).toMatchObject({ outcome: 'cancelled', attempt: 2 });
  expect(await attemptsOf(engine.store, engine.conversationId, runId)).toEqual([1]);
});

/** Looks around until its limit, and says then what it has. */
function limited(held: Gate): Script {
  let turn = 0;
  return new Script()
    .on({ ...LEAD, asked: /^Second/ })
    .reply([text('Second done')], { hold: held.at(1), times: 1 })
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'worker', prompt: 'Look.' })])
    .on(LEAD)
    .reply([text('Ok.')])
    .on({ asked: /You have your tools again/ })
    .reply([text('Now all of it.')])
    .on({ lastUser: /You have no tools any more/ })
    .reply([text('Half of it.')])
    .on({})
    .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })]);
}

describe('a retry or extension that comes too late', () => {
  test('rejects a retry after the lead has reached its limit', async () => {
    const held = new Gate();
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([spawn({ name: 'finder', prompt: 'Find it.' })])
      .on({ prompt: /Find it/ })
      .reply([], { status: 400 })
      .on({ lastUser: /You have no tools any more/ })
      .reply([text('Half of it.')], { hold: held.at(0) });
    const engine = await startEngine(script, { settings: '[limits.run]\nmax_iterations = 1\n' });
    const { workflowId } = await engine.send('Go');
    await held.reached;
    const { runId } = await engine.event('run-end', ({ agent }) => agent === 'finder');
    const lateRetry = retry(engine, runId);
    const settlement = lateRetry.catch(() => undefined);
    await Promise.race([settlement, new Promise((resolve) => setTimeout(resolve, 100))]);
    held.open();
    await expect(lateRetry).rejects.toMatchObject(CONFLICT);
    await engine.ended(workflowId);
    expect(engine.of('run-start').filter(({ agent }) => agent === 'finder')).toHaveLength(1);
  });

  test('rejects an extension of a workflow that ends before the request is processed', async () => {
    const held = new Gate();
    const [begun, reading] = [new Gate(), new Gate()];
    let isSlow = false;
    const store = await memoryStore();
    let turn = 0;
    const script = new Script()
      .on({ lastUser: /You have no tools any more/ })
      .reply([text('Half of it.')], { hold: held.at(2) })
      .on({})
      .reply(() => [toolUse('read_file', { path: 'README.md', limit: (turn += 1) })], {
        usage: { input: 100, output: 20 },
      });
    const engine = await startEngine(script, {
      store: {
        ...store,
        run: async (id) => {
          const row = await store.run(id);
          if (isSlow) {
            begun.open();
            await reading.pass();
          }
          return row;
        },
      },
      settings: '[limits.workflow]\nmax_tokens = 400\n',
    });
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => /You have no tools any more/.test(seen.asked));
    isSlow = true;
    const more = engine.runtime.request('workflow.extend', {
      workflowId,
      add: { tokens: 5000 },
      seen: { ...DEFAULT_WORKFLOW_LIMITS, tokens: 400 },
    });
    more.catch(() => undefined);
    await begun.pass();
    held.open();
    await engine.ended(workflowId);
    reading.open();
    await expect(more).rejects.toMatchObject(CONFLICT);
    expect(engine.of('limit-change')).toEqual([]);
  });

  test('rejects the second of two equal extensions of a sub-agent', async () => {
    const held = new Gate();
    const engine = await startEngine(limited(held), { settings: '[limits.run]\nmax_iterations = 3\n' });
    const { workflowId, subAgents } = await engine.ask('Go');
    const { runId } = subAgents[0]!;
    await engine.send('Second');
    await engine.model.waitFor(({ seen }) => seen.asked.startsWith('Second'));
    const extend = () =>
      engine.runtime.request('run.extend', { runId, add: { iterations: 5 }, seen: { iterations: 3, costUsd: 2 } });
    await extend();
    await expect(extend()).rejects.toMatchObject(CONFLICT);
    held.open();
    await reaches(engine.store, workflowId, { outcome: 'completed', attempt: 2 });
    expect(await engine.store.run(runId)).toMatchObject({
      outcome: 'completed',
      text: 'Now all of it.',
      attempt: 2,
      limits: { iterations: 8, costUsd: 2 },
    });
  });

  test('rejects an extension of a sub-agent in a deleted conversation and changes no limit', async () => {
    const held = new Gate();
    const engine = await startEngine(limited(held), { settings: '[limits.run]\nmax_iterations = 3\n' });
    const { subAgents } = await engine.ask('Go');
    const { runId } = subAgents[0]!;
    await engine.runtime.request('conversation.delete', { conversationId: engine.conversationId });
    await expect(
      engine.runtime.request('run.extend', { runId, add: { iterations: 5 }, seen: { iterations: 3, costUsd: 2 } }),
    ).rejects.toMatchObject(CONFLICT);
    expect((await engine.store.run(runId))?.limits).toBeUndefined();
  });
});
