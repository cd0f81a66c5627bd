/** What is counted where a provider counts nothing, or nonsense, and where it ends for a reason that nobody knows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { estimatedTokensOf } from '#domain/tally.ts';
import { RequestMeter } from '#core/runs/loop/request-meter.ts';
import { ModelError, NO_USAGE } from '#core/model/model.ts';
import { ASLEEP } from '#core/model/model.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { startEngine, type Harness } from '../../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { type ReplyOptions, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { sse } from '../../../support/fake-model/stream.ts';
import { reflecting, verdict } from '../../../support/fake-model/reflecting.ts';
import { Gate } from '../../../support/gate.ts';
import { startReflecting } from '../../../support/reflecting.ts';
import { variations } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { eventsIn } from '../../../support/commit-items.ts';

const { start } = sharedEngine();

type MeteredRun = ConstructorParameters<typeof RequestMeter>[0];

/** Time in which a request reaches the scripted server, also on a busy machine, in milliseconds. */
const LONGER_THAN_SENDING_MS = 100;

const REVIEWED = { answers: ['first'], reviews: { first: verdict(true, 90) } };

function withHelper(): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'helper', prompt: 'Help.' })])
    .on(CHILD)
    .reply([text('Helped.')])
    .on({})
    .reply([text('Done.')]);
}

/** An engine whose store waits at the gate before it stores a matching event. */
async function holding(matches: (event: DurableEvent) => boolean, script = withHelper()) {
  const store = await memoryStore();
  const gate = new Gate();
  const commit: typeof store.commit = async (items) => {
    const events = eventsIn(items);
    if (events.some(matches)) await gate.pass();
    return store.commit(items);
  };
  const engine = await startReflecting(script, { store: { ...store, commit } });
  onTestFinished(() => gate.open());
  return { engine, gate };
}

const detailOf = ({ runtime }: Harness, workflowId: string) => runtime.request('workflow.get', { workflowId });

describe('request attempts', () => {
  test('emits an estimate when a request is sent and the count of the provider when the response starts', async () => {
    const engine = await start(new Script().on({}).reply([text('Done.')], { usage: { input: 4321 } }));
    await engine.ask('Go');
    const [sent] = engine.of('request-start');
    const [begun] = engine.of('message-start');
    expect(sent?.request).toMatchObject({ inputEstimated: true, attempt: 1 });
    expect(sent?.request.inputTokens).toBeGreaterThan(100);
    expect(begun?.request).toMatchObject({ requestId: sent?.request.requestId, inputTokens: 4321 });
    expect(begun?.request).not.toHaveProperty('inputEstimated');
    expect(engine.of('usage')[0]?.request).not.toHaveProperty('inputEstimated');
  });

  test('stores the first request of a sub-agent in one commit with the start of its run', async () => {
    const store = await memoryStore();
    const commits: (readonly DurableEvent[])[] = [];
    const commit: typeof store.commit = (items) => {
      const events = eventsIn(items);
      commits.push(events);
      return store.commit(items);
    };
    const engine = await startEngine(withHelper(), { store: { ...store, commit } });
    await engine.ask('Go');
    const ofChild = commits.map((events) => events.filter(({ agent }) => agent === 'helper').map(({ type }) => type));
    const [start] = ofChild.filter((types) => types.includes('run-start'));
    expect(start).toEqual(expect.arrayContaining(['run-start', 'turn-start', 'request-start']));
  });

  test('counts a request stopped before its answer as unknown, with estimated tokens in a separate total', async () => {
    const engine = await start(new Script().on({}).reply([text('Never.')], { hangAfter: 0 }));
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(() => true);
    await engine.runtime.request('workflow.stop', { workflowId });
    const end = await engine.ended(workflowId);
    const sent = engine.of('request-start')[0]?.request.inputTokens ?? 0;
    expect(sent).toBeGreaterThan(100);
    const { requests, workflow, runs } = await detailOf(engine, workflowId);
    expect(requests).toMatchObject([{ inputTokens: sent, inputEstimated: true, reported: false }]);
    const usage = { unknownRequests: 1, inputTokens: sent, estimatedInputTokens: sent };
    expect(workflow.usage).toMatchObject(usage);
    expect(runs[0]?.usage).toMatchObject(usage);
    expect(end.usage).toMatchObject({ inputTokens: sent, estimatedInputTokens: sent });
    expect(estimatedTokensOf(workflow.usage)).toBe(sent);
  });

  test.for([
    ['lead', undefined, 0],
    ['helper', undefined, 1],
    ['checker', 'review', 2],
  ] as const)(
    'sends no request of agent %s (purpose %s) before its request-start event is durable',
    async ([agent, purpose, before]) => {
      const script = purpose === 'review' ? reflecting(REVIEWED) : withHelper();
      const { engine, gate } = await holding(
        (event) => event.type === 'request-start' && event.agent === agent && event.purpose === purpose,
        script,
      );
      const { workflowId } = await engine.send('Go');
      await gate.reached;
      await sleep(LONGER_THAN_SENDING_MS);
      expect(engine.model.requests).toHaveLength(before);
      gate.open();
      await engine.model.waitFor(({ index }) => index === before);
      await engine.ended(workflowId);
    },
  );

  test('sends no request of a sub-agent that is stopped before its start is durable', async () => {
    const { engine, gate } = await holding(({ agent, type }) => agent === 'helper' && type === 'run-start');
    const { workflowId } = await engine.send('Go');
    await gate.reached;
    const stopped = engine.runtime.request('workflow.stop', { workflowId });
    gate.open();
    await stopped;
    await engine.ended(workflowId);
    expect(engine.model.requests.map(({ seen }) => seen.prompt)).toEqual(['Go']);
    const { workflow, requests } = await detailOf(engine, workflowId);
    expect(requests).toMatchObject([{ inputTokens: 100 }, { inputTokens: 0, error: { code: 'cancelled' } }]);
    expect(workflow.usage).not.toHaveProperty('unknownRequests');
  });

  test('counts zero input tokens for a request that the provider rejects', async () => {
    const engine = await start(new Script().on({}).reply([], { status: 400 }));
    const { workflowId } = await engine.ask('Go');
    const { requests, workflow } = await detailOf(engine, workflowId);
    expect(requests).toMatchObject([{ inputTokens: 0, error: { code: 'bad_request' } }]);
    expect(workflow.usage).not.toHaveProperty('unknownRequests');
  });

  test('estimates the input of a later turn as the input of the previous turn plus the new call and result', async () => {
    const script = new Script()
      .on({ turn: 1 })
      .reply([toolUse('list_directory', { path: '.' })], { usage: { input: 70_000, cacheRead: 5000 } })
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script);
    await engine.ask('Go');
    const [call, result] = ['list_directory{"path":"."}', engine.of('tool-end')[0]?.entry.output ?? ''];
    const since = Math.ceil((call.length + result.length) / 4);
    expect(since).toBeGreaterThan(5);
    expect(engine.of('request-start')[1]?.request).toMatchObject({ inputTokens: 75_000 + since, inputEstimated: true });
  });
});

/** As the wire has them, which no type of the script allows. */
const wrong: [string, NonNullable<ReplyOptions['usage']>][] = [
  ['input_tokens: -5', { input: -5 }],
  ['cache_read_input_tokens: "12"', { cacheRead: '12' as never }],
  ['input_tokens: 12.5', { input: 12.5 }],
  ['input_tokens: 2000000000', { input: 2e9 }],
];

describe('impossible token counts', () => {
  test.for(variations(wrong, 2))('warns once about %s and counts the requests by estimate', async ([told, usage]) => {
    const script = new Script()
      .on({ turn: 1 })
      .reply([toolUse('list_directory', { path: '.' })], { usage })
      .on({})
      .reply([text('Done.')], { usage });
    const engine = await start(script);
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const notices = engine.of('notice').filter(({ text: words }) => words.includes('cannot be true'));
    expect(notices).toMatchObject([{ level: 'warning' }]);
    expect(notices[0]?.text).toContain(`(${told})`);
    const { requests, workflow } = await detailOf(engine, end.workflowId);
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request).toMatchObject({ inputEstimated: true, reported: false, cacheReadTokens: 0, error: null });
      expect(request.inputTokens).toBeGreaterThan(100);
      expect(request.inputTokens).toBeLessThan(100_000);
    }
    expect(workflow.usage).toMatchObject({ requests: 2, unknownRequests: 2 });
  });

  test('keeps the reported input count when only the output count is impossible', async () => {
    const engine = await start(
      new Script().on({}).reply([text('Done, and so on.')], { usage: { input: 900, output: -1 } }),
    );
    const { workflowId } = await engine.ask('Go');
    const { requests, workflow } = await detailOf(engine, workflowId);
    expect(requests).toMatchObject([{ inputTokens: 900, outputTokens: 4, reported: false }]);
    expect(requests[0]).not.toHaveProperty('inputEstimated');
    expect(workflow.usage).toMatchObject({ inputTokens: 900, outputTokens: 4, estimatedOutputTokens: 4 });
    expect(workflow.usage).not.toHaveProperty('estimatedInputTokens');
  });
});

test('an impossible count marks the request as unreported, even after a valid count', () => {
  const price = () => ({ nanoUsd: null, priceVersion: null });
  const run = { requests: { model: { provider: 'p' }, price }, envelope: { model: 'm' } } as unknown as MeteredRun;
  const ends = [[], [{ type: 'miscount' as const, count: 'output_tokens: -5' }]].map((after) => {
    const meter = new RequestMeter(run, { turn: 0, attempt: 1, inputEstimate: 70 });
    const usage = { ...NO_USAGE, inputTokens: 50, outputTokens: 2 };
    for (const event of [{ type: 'usage' as const, usage }, ...after]) meter.take(event);
    return meter.end('end_turn', null);
  });
  expect(ends).toMatchObject([{ reported: true }, { reported: false, inputTokens: 50, outputTokens: 2 }]);
});

test('counts the input of a request that was interrupted by sleep, but not of a request without network', () => {
  const price = () => ({ nanoUsd: null, priceVersion: null });
  const run = { requests: { model: { provider: 'p' }, price }, envelope: { model: 'm' } } as unknown as MeteredRun;
  const ends = [ASLEEP, 'ENOTFOUND'].map((detail) => {
    const meter = new RequestMeter(run, { turn: 0, attempt: 1, inputEstimate: 70 });
    meter.sent();
    return meter.end(null, new ModelError('unreachable', 'None', { retryable: true, detail })).inputTokens;
  });
  expect(ends).toEqual([70, 0]);
});

test('estimates output tokens from the text when the text arrived after the last count', async () => {
  const ending = sse('message_delta', { delta: { stop_reason: 'end_turn' }, usage: {} }) + sse('message_stop', {});
  const script = new Script().on({}).reply([text('Forty characters are ten tokens or so. .', { deltas: 1 })], {
    garbage: { after: 4, text: ending },
    endAfter: 5,
  });
  const engine = await start(script);
  const { workflowId, outcome } = await engine.ask('Go');
  expect(outcome).toBe('completed');
  const { requests, workflow } = await detailOf(engine, workflowId);
  expect(requests).toMatchObject([{ inputTokens: 100, outputTokens: 10, reported: false, error: null }]);
  expect(requests[0]).not.toHaveProperty('inputEstimated');
  expect(workflow.usage).toMatchObject({ outputTokens: 10, estimatedOutputTokens: 10 });
});

/** Events of a block that no provider should send. */
const odd: [string, string][] = [
  ['a number for words', sse('content_block_start', { index: 9, content_block: { type: 'text', text: 5 } })],
  [
    'a kind that every object knows',
    sse('content_block_start', { index: 9, content_block: { type: 'constructor' } }) +
      sse('content_block_stop', { index: 9 }),
  ],
  [
    'an object with a length for words',
    sse('content_block_start', { index: 9, content_block: { type: 'text', text: { length: 1e300 } } }),
  ],
  [
    'a call whose id and name are none',
    sse('content_block_start', { index: 9, content_block: { type: 'tool_use', id: 5, name: {} } }),
  ],
];

describe('malformed response parts', () => {
  test.for(variations(odd, 2))('%s: counts the failed request in whole tokens', async ([, garbage]) => {
    // Behind the start of the message; then the stream ends too early.
    const cut = { garbage: { after: 1, text: garbage }, endAfter: 2, times: 1 };
    const script = new Script()
      .on({})
      .reply([text('Half.')], cut)
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const { requests, workflow } = await detailOf(engine, end.workflowId);
    expect(requests).toMatchObject([
      { inputTokens: 100, outputTokens: 1, reported: false },
      { inputTokens: 100, outputTokens: 20, reported: true },
    ]);
    expect(workflow.usage).toMatchObject({ inputTokens: 200, outputTokens: 21 });
  });
});

describe('an unknown stop reason', () => {
  test('ends the run with an error that names the reason, and keeps the text and the request count', async () => {
    const engine = await start(new Script().on({}).reply([text('Hm.')], { stopReason: 'bored' }));
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'provider' } });
    expect(end.error?.message).toContain('"bored"');
    expect(engine.model.requests).toHaveLength(1);
    const said = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' ? [entry] : []));
    expect(said).toMatchObject([{ interrupted: true, parts: [{ type: 'text', text: 'Hm.' }] }]);
    const { requests } = await detailOf(engine, end.workflowId);
    expect(requests).toMatchObject([{ inputTokens: 100, outputTokens: 20, error: { code: 'provider' } }]);
  });

  test('ends the run with an error after calls of the response ran, and stores their results', async () => {
    const call = toolUse('list_directory', { path: '.' });
    const script = new Script()
      .on({})
      .reply([call, text('a b c d', { deltas: 4, delayMs: 40 })], { stopReason: 'bored' });
    const engine = await start(script);
    const end = await engine.ask('Go');
    expect(engine.of('message-part')).not.toEqual([]);
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'provider' } });
    expect(end.error?.message).toContain('"bored"');
    expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['completed']);
    expect(engine.model.requests).toHaveLength(1);
  });
});
