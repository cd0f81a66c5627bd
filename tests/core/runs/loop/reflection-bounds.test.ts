/** Reflection at its edges: what reviews cost is counted, and a bound, a stop or a failure in one loses no answer. */
import type { ReviewedAttempt } from '#contract/history/review-history.ts';
import { MAX_SILENT_REPEATS } from '#contract/limits.ts';
import { describe, expect, test } from 'vitest';
import type { Harness } from '../../../support/engine.ts';
import { outputOf, startEngine } from '../../../support/engine.ts';
import { LEAD } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { checkerFile, reflecting, REVIEWER, verdict } from '../../../support/fake-model/reflecting.ts';
import { childOf, reviewers, startReflecting } from '../../../support/reflecting.ts';
import { eventually } from '../../../support/eventually.ts';
import { createAlarms } from './alarms.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

const usage = { input: 100, output: 20 };
const improved = {
  answers: [
    { blocks: [text('first')], options: { usage } },
    { blocks: [text('second')], options: { usage } },
  ],
  reviews: { first: verdict(false, 40, 'No line.'), second: verdict(true, 90) },
  review: { usage: { input: 1000, output: 7 } },
};

const TIGHT = '[limits.run]\nmax_tokens = 150\n';
const leadFile = () => checkerFile({ maxRetries: 1 }, 'role: primary\n').replace('name: checker', 'name: lead');
const seenOf = (engine: Harness) => {
  const limits = engine.of('run-start').at(-1)?.envelope.limits;
  return { ...limits?.budget, ...(limits && { iterations: limits.maxIterations }) };
};

const reviewing = (engine: Harness) => engine.event('request-start', (event) => event.purpose === 'review');

describe('the cost of a review', () => {
  test('is counted as separate requests, and in the usage of the run, the workflow and the conversation', async () => {
    const engine = await startReflecting(improved, {}, start);
    const { workflowId } = await engine.ask('Go');
    const { run, requests } = await childOf(engine);
    expect(requests.map(({ purpose, turn, inputTokens }) => [purpose ?? 'turn', turn, inputTokens])).toEqual([
      ...[['turn', 0, 100] as const, ['review', 0, 1000] as const],
      ...[['turn', 1, 100] as const, ['review', 1, 1000] as const],
    ]);
    expect(run.usage).toMatchObject({ requests: 4, inputTokens: 2200, outputTokens: 54 });
    const { workflow, conversation, runs } = await engine.runtime.request('workflow.get', { workflowId });
    const lead = runs.find(({ parentRunId }) => parentRunId === null)?.usage.inputTokens ?? 0;
    expect(workflow.usage.inputTokens).toBe(2200 + lead);
    expect(conversation.usage).toEqual(workflow.usage);
    expect(requests.every(({ nanoUsd }) => (nanoUsd ?? 0) > 0)).toBe(true);
  });

  test('includes each attempt of a review that fails and is retried', async () => {
    const script = new Script()
      .on({ system: REVIEWER })
      .reply([], { status: 529, error: { type: 'overloaded_error', message: 'busy' }, times: 1 })
      .on({ system: REVIEWER })
      .reply([text(verdict(true, 90))], { cutAfter: 3, times: 1 });
    script.rules.push(...reflecting(improved).rules);
    const engine = await startReflecting(script);
    await engine.ask('Go');
    const { run, requests } = await childOf(engine);
    expect(run).toMatchObject({ outcome: 'completed', text: 'second' });
    expect(requests.map(({ purpose, attempt, error }) => [purpose ?? 'turn', attempt, error?.code ?? null])).toEqual([
      ['turn', 1, null],
      ['review', 1, 'overloaded'],
      ['review', 2, 'unreachable'],
      ['review', 3, null],
      ['turn', 1, null],
      ['review', 1, null],
    ]);
  });
});

describe('limits, stops and failures during a review', () => {
  test('a used-up budget skips the review, keeps the answer and reports the missing review', async () => {
    const engine = await startReflecting(improved, { settings: TIGHT });
    await engine.ask('Go');
    const { run, entries } = await childOf(engine);
    expect(run).toMatchObject({ outcome: 'budget_exceeded', text: 'first' });
    expect(run.error?.message).toBe('The limit of 150 tokens was reached: the answer was not reviewed');
    expect(entries.at(-1)).toMatchObject({ code: 'budget' });
    expect(reviewers(engine)).toHaveLength(0);
  });

  test('a review that would exceed the limit waits for the person and is sent after an extension', async () => {
    const engine = await startReflecting(improved, {
      settings: TIGHT,
      atLimit: () => ({ kind: 'edit', value: { tokens: 5000 } }),
    });
    await engine.ask('Go');
    expect((await childOf(engine)).run).toMatchObject({ outcome: 'completed', text: 'second' });
    expect(reviewers(engine)).toHaveLength(2);
  });

  test('after the budget is raised, the stored answer is reviewed without a new turn', async () => {
    const script = new Script()
      .on({ system: REVIEWER })
      .reply([text(verdict(true, 90))])
      .on({})
      .reply([text('One.')], { usage });
    const engine = await startReflecting(script, { agent: leadFile(), settings: TIGHT });
    const { workflowId, runId, outcome } = await engine.ask('Which?');
    expect([outcome, reviewers(engine)]).toEqual(['budget_exceeded', []]);
    await engine.runtime.request('run.extend', { runId, add: { tokens: 5000 }, seen: seenOf(engine) });
    await eventually(async () =>
      expect(await engine.store.workflow(workflowId)).toMatchObject({ outcome: 'completed', text: 'One.' }),
    );
    expect(engine.model.requests).toHaveLength(2);
    const entries = await engine.runtime.request('run.entries', { runId });
    const codes = entries.map((entry) => (entry.kind === 'system' ? entry.code : entry.kind));
    expect(codes).toEqual(['user', 'assistant', 'budget', 'resumed', 'extended', 'review']);
  });

  test('a budget reached between two tries allows one last answer without a review', async () => {
    const engine = await startReflecting(improved, { settings: '[limits.run]\nmax_tokens = 1200\n' });
    await engine.ask('Go');
    const { run } = await childOf(engine);
    expect(run).toMatchObject({ outcome: 'budget_exceeded', text: 'second' });
    expect(run.reviews).toHaveLength(1);
    expect(reviewers(engine)).toHaveLength(1);
  });

  test('the answer of the last iteration is reviewed, because a review is not an iteration', async () => {
    const engine = await startReflecting(
      { ...improved, reviews: { first: verdict(true, 80) } },
      { agent: checkerFile({}, 'max_iterations: 1\n') },
    );
    await engine.ask('Go');
    expect((await childOf(engine)).run).toMatchObject({ outcome: 'completed', text: 'first' });
    expect(reviewers(engine)).toHaveLength(1);
  });

  test('a stop during a review cancels the request and keeps the answer', async () => {
    const engine = await startReflecting({ ...improved, review: { ...improved.review, hangAfter: 2 } }, {}, start);
    const { workflowId } = await engine.send('Go');
    const { runId } = await reviewing(engine);
    await engine.model.waitFor(({ seen }) => REVIEWER.test(seen.system));
    const receipt = await engine.runtime.request('run.stop', { runId });
    expect(receipt).toMatchObject({ agents: 1, requests: 1, left: 0 });
    await engine.ended(workflowId);
    const { run, requests } = await childOf(engine);
    expect(run).toMatchObject({ outcome: 'cancelled', text: 'first' });
    expect(requests.at(-1)).toMatchObject({ purpose: 'review', error: { code: 'cancelled' } });
    await engine.model.waitFor((one) => REVIEWER.test(one.seen.system) && one.closedAt !== null);
  });

  test('a model that stays silent in a review ends the run as timed out, with its answer', async () => {
    const alarms = createAlarms(77_000);
    const engine = await startReflecting(
      { ...improved, review: { ...improved.review, hangAfter: 2 } },
      { settings: '[limits]\ninactivity_seconds = 77\n' },
    );
    const { workflowId } = await engine.send('Go');
    for (let attempt = 1; attempt <= 1 + MAX_SILENT_REPEATS; attempt += 1) {
      await eventually(() => expect(reviewers(engine)).toHaveLength(attempt));
      alarms.ringAll();
    }
    await engine.ended(workflowId);
    expect((await childOf(engine)).run).toMatchObject({ outcome: 'timed_out', text: 'first' });
  });

  test('a permanent reviewer failure ends the run, and a retry repeats only the review', async () => {
    const script = new Script()
      .on({ system: REVIEWER })
      .reply([], { status: 400, error: { type: 'invalid_request_error', message: 'odd' }, times: 1 });
    script.rules.push(...reflecting({ ...improved, reviews: { first: verdict(true, 80) } }).rules);
    const held = new Gate();
    script.rules.unshift({
      name: 'lead waits',
      match: { tools: ['delegate_task'], turn: 2 },
      used: 0,
      blocks: [text('Done.')],
      options: { hold: held.at(0) },
    });
    const engine = await startReflecting(script);
    const { workflowId } = await engine.send('Go');
    const end = await engine.event('run-end');
    expect(end).toMatchObject({ outcome: 'error', text: 'first', error: { code: 'bad_request' } });
    const asked = engine.model.requests.filter(({ seen }) =>
      /checker/.test(seen.system.split('# Agents')[0] ?? ''),
    ).length;
    await engine.runtime.request('run.retry', { runId: end.runId });
    await engine.event('run-end', (event) => event.outcome === 'completed');
    held.open();
    await engine.ended(workflowId);
    expect(
      engine.model.requests.filter(({ seen }) => /checker/.test(seen.system.split('# Agents')[0] ?? '')),
    ).toHaveLength(asked);
    expect(reviewers(engine)).toHaveLength(2);
  });
});

describe('reviews of different runs', () => {
  test('two parallel sub-agents each get their own reviews', async () => {
    const lead = [
      toolUse('parallel_tasks', {
        operation: 'execute_batch',
        tasks: ['one', 'two'].map((name) => ({
          agent_id: 'checker',
          prompt: `Find ${name}.`,
          reason: 'Find it',
        })),
      }),
    ];
    const script = new Script();
    for (const name of ['one', 'two'])
      script
        .on({ system: REVIEWER, prompt: new RegExp(`${name} better`) })
        .reply([text(verdict(true, 90, name))])
        .on({ system: REVIEWER, prompt: new RegExp(`Find ${name}`) })
        .reply([text(verdict(false, 30, `More of ${name}.`))])
        .on({ system: /You are the checker/, prompt: new RegExp(`Find ${name}`), lastUser: /More of/ })
        .reply([text(`${name} better`)])
        .on({ system: /You are the checker/, prompt: new RegExp(`Find ${name}`) })
        .reply([text(name)]);
    script.rules.push(...reflecting({ answers: [], reviews: {}, lead }).rules);
    const engine = await startReflecting(script);
    const end = await engine.ask('Go');
    expect(end.subAgents.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    const output = engine.of('tool-end').find(({ entry }) => entry.name === 'parallel_tasks')?.entry.output;
    expect(outputOf(output).results?.map(({ report }) => report)).toEqual(['one better', 'two better']);
    const histories = (JSON.parse(output ?? '') as { results: { reviews: ReviewedAttempt[] }[] }).results;
    expect(histories.map(({ reviews }) => reviews.map(({ score, improvement }) => [score, improvement]))).toEqual([
      ...Array.from({ length: 2 }, () => [
        [30, null],
        [90, 60],
      ]),
    ]);
    const stored = engine.of('run-end').flatMap((one) => one.reviews ?? []);
    expect(stored.map((review) => review.verdict?.score).sort()).toEqual([30, 30, 90, 90]);
    expect(engine.model.requests.every(({ problem }) => problem === null)).toBe(true);
  });

  test('the answer of a lead is streamed, then reviewed, and the improved answer ends the workflow', async () => {
    const script = new Script()
      .on({ system: REVIEWER, prompt: /It is b/ })
      .reply([text(verdict(true, 90))])
      .on({ system: REVIEWER })
      .reply([text(verdict(false, 30, 'Which one?'))])
      .on({ lastUser: /Which one/ })
      .reply([text('It is b.')])
      .on({})
      .reply([text('One of them.')]);
    const engine = await startReflecting(script, { agent: leadFile() });
    const end = await engine.ask('Which?');
    expect(end).toMatchObject({ outcome: 'completed', text: 'It is b.' });
    const shown = engine.durable().flatMap((event) => {
      if (event.type === 'request-start') return event.purpose && event.request.inputEstimated ? [event.purpose] : [];
      if (event.type !== 'message-end' || event.entry.kind === 'user') return [];
      return [event.entry.kind];
    });
    expect(shown).toEqual(['assistant', 'review', 'system', 'assistant', 'review', 'system']);
  });

  test('temporary sub-agents have no reviews, even if their lead has reviews', async () => {
    const spawned = toolUse('spawn_agent', { operation: 'spawn', name: 'helper', prompt: 'Help.' });
    const script = new Script()
      .on({ system: REVIEWER })
      .reply([text(verdict(true, 90))])
      .on({ ...LEAD, turn: 1 })
      .reply([spawned])
      .on({})
      .reply([text('Done.')]);
    const engine = await startReflecting(script, { agent: leadFile() });
    await engine.ask('Go');
    expect(reviewers(engine)).toHaveLength(1);
  });
});

test('without a self-reviewing agent there are no review requests and no review fields', async () => {
  const engine = await startEngine(new Script().on({}).reply([text('Done.')]));
  await engine.ask('Go');
  expect(engine.of('request-start').map(({ purpose }) => purpose)).toEqual([undefined]);
  expect(engine.of('run-end')[0]).not.toHaveProperty('reviews');
});
