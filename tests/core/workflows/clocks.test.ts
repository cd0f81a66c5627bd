/** Time that is up ends what works at once: stream and tools are aborted, nothing more is asked, and the person may give more. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS, MAX_SILENT_REPEATS } from '#contract/limits.ts';
import { sha256 } from '#core/base/hash.ts';
import { liveUntil } from '../../support/crash.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, type HarnessOptions, outcomes, outputOf, startEngine } from '../../support/engine.ts';
import { LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { folderWith } from '../../support/workspace.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { done, pair, startFlow } from '../../support/flows/flows.ts';
import { Gate } from '../../support/gate.ts';
import { variations } from '../../support/samples.ts';

let now = 0;
/** What looks at the time, and how often, in milliseconds. */
let looks: { ms: number; look: () => void }[] = [];

/** The clocks of work stand still but where a test lets time pass. */
beforeEach(() => {
  now = performance.now();
  looks = [];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((look: () => void, ms: number) => {
    const handle = { ms, look, unref: () => handle };
    looks.push(handle);
    return handle;
  }) as never);
  const clear = clearInterval;
  vi.spyOn(globalThis, 'clearInterval').mockImplementation((handle) => {
    looks = looks.filter((one) => (one as unknown) !== handle);
    clear(handle);
  });
});
afterEach(() => void vi.restoreAllMocks());

function pass(minutes: number): void {
  for (const end = now + minutes * 60_000; now < end;) {
    now += STEP_MS;
    for (const { ms, look } of looks) if (now % ms < STEP_MS) look();
  }
}
/** As often as a clock of work looks. */
const STEP_MS = 250;
const MORE = /The person raised the limit/;

/** Says half of its answer and nothing more, until it is given more time. */
function stuck(): Script {
  return new Script()
    .on({ lastUser: MORE })
    .reply([text('Now all of it.')])
    .on({})
    .reply([text('What I have so far. And what never comes.', { deltas: 2 })], { hangAfter: 4 });
}

/** A lead with one sub-agent that is stuck like that. */
function leadOfStuck(): Script {
  const script = new Script()
    .on({ ...LEAD, asked: /Report of the sub-agent/ })
    .reply([text('Thanks, that is all of it.')])
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'worker', prompt: 'Look.' })])
    .on({ ...LEAD, turn: 2 })
    .reply([text('That was little.')]);
  script.rules.push(...stuck().rules);
  return script;
}

/** Sends, and lets two minutes pass when half of the answer is there. */
async function timeUp(script: Script, options: HarnessOptions) {
  const engine = await startEngine(script, options);
  const { workflowId } = await engine.send('Go');
  await engine.event('message-delta', (delta) => delta.text.startsWith('What'));
  pass(2);
  return { engine, end: await engine.ended(workflowId) };
}

const remarksOf = (engine: Harness) =>
  engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'system' ? [entry] : []));
const HALF = expect.stringMatching(/^What I have/) as string;

describe('the time limit of a run', () => {
  test('aborts the stream, keeps the text and sends no further request; with more time the run continues', async () => {
    const { engine, end } = await timeUp(stuck(), { settings: '[limits.run]\nmax_minutes = 1\n' });
    expect(end).toMatchObject({
      outcome: 'timed_out',
      text: HALF,
      error: { code: 'limit_reached', message: expect.stringContaining('1 minute of work') as string },
    });
    expect(engine.model.requests).toHaveLength(1);
    await expect.poll(() => engine.model.requests[0]?.closedAt).not.toBeNull();
    expect(remarksOf(engine)).toMatchObject([{ code: 'budget', bound: { of: 'run', name: 'minutes', value: 1 } }]);
    const seen = { minutes: 1, iterations: 200 };
    await expect(
      engine.runtime.request('run.extend', { runId: end.runId, add: { tokens: 1000 }, seen }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('1 minute') as string });
    await engine.runtime.request('run.extend', { runId: end.runId, add: { minutes: 10 }, seen });
    await eventually(async () =>
      expect(await engine.store.workflow(end.workflowId)).toMatchObject({
        outcome: 'completed',
        text: 'Now all of it.',
      }),
    );
    expect(engine.model.requests.at(-1)?.seen.lastUser).not.toMatch(/tools again/);
  });

  test('aborts a running tool', async () => {
    const engine = await startEngine(new Script().on({}).reply([toolUse('grep', { pattern: '(a+)+$' })]), {
      files: { 'a.txt': `${'a'.repeat(60)}!\n` },
      settings: '[limits.run]\nmax_minutes = 1\n',
    });
    const { workflowId } = await engine.send('Go');
    await engine.event('tool-start');
    // The clock runs again in the turn in which the start is stored.
    await setImmediate();
    pass(2);
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'timed_out' });
    expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['cancelled']);
    expect(engine.model.requests).toHaveLength(1);
  });

  test('does not count the time in which an approval is open', async () => {
    const script = new Script()
      .on({ step: 1 })
      .reply([toolUse('write_file', { path: 'a.txt', content: 'a' })])
      .on({})
      .reply([text('Written.')]);
    const settings = '[limits.run]\nmax_minutes = 1\n[limits.workflow]\nmax_minutes = 1\n';
    const engine = await startEngine(script, { settings, person: () => null });
    const { workflowId } = await engine.send('Go');
    const { approval } = await engine.event('approval-request');
    pass(60);
    await engine.runtime.request('approval.decide', { approvalId: approval.id, answer: { kind: 'allow' } });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
  });

  test('does not count the time in which a lead waits for its sub-agent', async () => {
    const { end } = await timeUp(leadOfStuck(), {
      settings: '[limits]\nchild_minutes = 1.5\n[limits.run]\nmax_minutes = 1\n',
    });
    expect(outcomes(end)).toEqual(['completed', 'timed_out']);
  });

  test('does not count the time in which a coagent reviews the answer', async () => {
    const gates = [new Gate(), new Gate()] as const;
    const [first, second] = gates.map((gate) => ({ hold: gate.at(0) }));
    const reviews = {
      First: { blocks: [text('No title.')], options: first! },
      Second: { blocks: done('Good.'), options: second! },
    };
    const engine = await startFlow(pair(['First.', 'Second.'], reviews), {
      flow: { type: 'judge' },
      worker: { maxMinutes: 1 },
    });
    const { workflowId } = await engine.send('Go');
    for (const gate of gates) {
      await gate.reached;
      pass(0.75);
      gate.open();
    }
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Second.' });
  });

  test('ends a sub-agent with its partial text as the report, and the lead continues, also after an extension', async () => {
    const { engine, end } = await timeUp(leadOfStuck(), { settings: '[limits]\nchild_minutes = 1\n' });
    expect(outcomes(end)).toEqual(['completed', 'timed_out']);
    expect(end.text).toBe('That was little.');
    const [handed] = engine.of('tool-end');
    expect(outputOf(handed?.entry.output)).toMatchObject({ success: false, outcome: 'timed_out', report: HALF });
    const { runId } = end.subAgents[0]!;
    await expect(engine.runtime.request('run.retry', { runId })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('raise that one first') as string,
    });
    const seen = { minutes: 1, iterations: 40, costUsd: 2 };
    await engine.runtime.request('run.extend', { runId, add: { minutes: 10 }, seen });
    await eventually(async () =>
      expect(await engine.store.workflow(end.workflowId)).toMatchObject({ text: 'Thanks, that is all of it.' }),
    );
    expect(await engine.store.run(runId)).toMatchObject({ outcome: 'completed', text: 'Now all of it.' });
  });

  test('ends a run without a request if the time was used up before', async () => {
    vi.restoreAllMocks();
    const script = new Script().on({}).reply([toolUse('list_directory', { path: '.' })]);
    const engine = await startEngine(script, { settings: '[limits.run]\nmax_minutes = 0.0000001\n' });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'timed_out', error: { code: 'limit_reached' } });
    expect(engine.model.requests).toHaveLength(0);
  });
});

test('a sub-agent whose model is silent three times ends as timed out, and its lead continues', async () => {
  const silence = 77;
  const alarms: (() => void)[] = [];
  const later = setTimeout as (...all: unknown[]) => unknown;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((ring: () => void, ms: number, ...rest: unknown[]) => {
    if (ms === silence * 1000) alarms.push(ring);
    return later(ms === silence * 1000 ? () => undefined : ring, ms, ...rest);
  }) as never);
  const engine = await startEngine(leadOfStuck(), { settings: `limits.inactivity_seconds = ${silence}\n` });
  const { workflowId } = await engine.send('Go');
  for (let attempt = 1; attempt <= 1 + MAX_SILENT_REPEATS; attempt += 1) {
    await eventually(() => {
      const words = engine.of('message-delta').filter(({ text }) => text.startsWith('What'));
      expect(words).toHaveLength(attempt);
    });
    pass(2);
    for (const ring of alarms.splice(0)) ring();
  }
  const end = await engine.ended(workflowId);
  expect(end).toMatchObject({ text: 'That was little.', subAgents: [{ agent: 'worker', outcome: 'timed_out' }] });
});

test('a run killed when its time was up ends as timed out after a resume, without a new request', async () => {
  vi.restoreAllMocks();
  const folder = await folderWith({});
  const model = await startFakeModel(stuck());
  onTestFinished(() => model.close());
  const life = { data: join(folder, 'store'), folder, url: model.url };
  const settings = '[limits.run]\nmax_minutes = 0.02\n';
  // Its prompt, what it said, and that its time is up.
  const resume = await liveUntil('message-end#3', life, { settings });
  const result = await resume();
  expect(result.end).toMatchObject({ outcome: 'timed_out', text: HALF, error: { code: 'limit_reached' } });
  expect(result.events.filter(({ type }) => type === 'turn-start')).toHaveLength(1);
  expect(model.requests).toHaveLength(1);
});

describe('the time limit of a workflow', () => {
  test('ends lead and sub-agents as timed out, and the lead continues with more time', async () => {
    const { engine, end } = await timeUp(leadOfStuck(), { settings: '[limits.workflow]\nmax_minutes = 1\n' });
    expect(outcomes(end)).toEqual(['timed_out', 'timed_out']);
    expect(end.error?.message).toMatch(/1 minute of work for the whole workflow/);
    expect(engine.model.requests).toHaveLength(2);
    expect(remarksOf(engine).map(({ bound }) => bound?.of)).toEqual(['workflow', 'workflow']);
    await engine.runtime.request('workflow.extend', {
      workflowId: end.workflowId,
      add: { minutes: 10 },
      seen: { ...DEFAULT_WORKFLOW_LIMITS, minutes: 1 },
    });
    await eventually(async () =>
      expect(await engine.store.workflow(end.workflowId)).toMatchObject({ outcome: 'completed', attempt: 2 }),
    );
  });
});

describe('the time limit of a sub-agent', () => {
  const REVIEWER = '---\nname: reviewer\ndescription: Reviews.\nmax_minutes: 30\n---\nReview.\n';
  const spawned = { operation: 'spawn', name: 'worker', prompt: 'Look.' };
  const defined = { ...spawned, agent: 'reviewer' };
  const of = (settings: string, ...calls: [object, number | undefined][]) => [settings, calls] as const;

  test.for(
    variations([
      of(
        '[limits]\nchild_minutes = 20\n[limits.run]\nmax_minutes = 5\n',
        ...([
          [spawned, 20],
          [defined, 30],
          [{ ...defined, max_minutes: 40 }, 40],
        ] as [object, number][]),
      ),
      of('[limits.run]\nmax_minutes = 5\n', [spawned, 5]),
    ]),
  )(
    'comes from the call, else from the definition, else from the settings for sub-agents, else for runs: %j',
    async ([settings, calls]) => {
      const script = new Script()
        .on({ ...LEAD, turn: 1 })
        .reply(calls.map(([call]) => toolUse('spawn_agent', call)))
        .on({})
        .reply([text('Done.')]);
      const engine = await startEngine(script, { settings, files: { '.triad/agents/reviewer.md': REVIEWER } });
      await engine.trust.set(engine.folder, new Map([['.triad/agents/reviewer.md', sha256(REVIEWER)]]));
      const { workflowId } = await engine.ask('Go');
      const asked = engine
        .of('approval-request')
        .flatMap(({ approval: { subject } }) => (subject.kind === 'envelopes' ? subject.items : []));
      expect(asked.map(({ envelope }) => envelope.limits.budget?.minutes)).toEqual(calls.map(([, minutes]) => minutes));
      const [, ...children] = await engine.store.runsOf([workflowId]);
      expect(children.map(({ outcome, envelopeHash }) => [outcome, envelopeHash])).toEqual(
        asked.map(({ hash }) => ['completed', hash]),
      );
    },
  );
});
