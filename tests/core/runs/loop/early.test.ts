/** Acting before a response has come whole: its calls start at once, and from then on the response is final. */
import { describe, expect, test } from 'vitest';
import type { AssistantEntry } from '#contract/message.ts';
import { createAlarms } from './alarms.ts';
import { lasting, memoryStore } from '../../../support/stores/pooled.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Harness, outcomes, outputOf, startAgain, startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, reportOf, spawn } from '../../../support/fake-model/scenarios.ts';
import { type Block, type ReplyOptions, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { chunksOf } from '../../../support/fake-model/stream.ts';
import { variations } from '../../../support/samples.ts';

/** Events of a stream from its start to the end of these blocks. */
const events = (...blocks: Block[]): number =>
  1 + blocks.flatMap((block) => chunksOf([block], {}, 0, () => 'id').slice(0, -2)).length;

const words = text('I ask two.');
const alpha = spawn({ name: 'alpha', prompt: 'Inspect part alpha.' });
const beta = spawn({ name: 'beta', prompt: 'Inspect part beta.' });

/** The lead's first response comes as told, sub-agents report, and the lead quotes what it got. */
function script(first: Block[], options: ReplyOptions): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply(first, { name: 'lead asks', ...options })
    .on(CHILD)
    .reply(({ prompt }) => [text(reportOf(prompt))], { name: 'child reports' })
    .on(LEAD)
    .reply(({ results }) => [text(`Got: ${results.map((result) => result.text).join(' ')}`)], {
      name: 'lead answers',
    });
}

/** An engine whose lead stops writing after so many events, until something holds in it. */
async function heldAt(
  after: number,
  until: (engine: Harness) => Promise<unknown>,
  first: Block[],
  rest: { reply?: ReplyOptions; engine?: Parameters<typeof startEngine>[1] } = {},
): Promise<Harness> {
  const started = Promise.withResolvers<Harness>();
  const hold = { after, until: () => started.promise.then(until) };
  const engine = await startEngine(script(first, { hold, ...rest.reply }), rest.engine);
  started.resolve(engine);
  return engine;
}

const childAsked = (engine: Harness): Promise<unknown> => engine.model.waitFor(({ rule }) => rule === 'child reports');

function responses(engine: Harness, agent = 'lead'): AssistantEntry[] {
  return engine
    .of('message-end')
    .flatMap((event) => (event.agent === agent && event.entry.kind === 'assistant' ? [event.entry] : []));
}
const rules = ({ model }: Harness): (string | null)[] => model.requests.map(({ rule }) => rule);
const typesOf = (entry: AssistantEntry | undefined): string[] =>
  (entry?.parts ?? []).map((part) => (part.type === 'tool_use' ? part.name : part.type));

describe('a streaming response', () => {
  test('starts a sub-agent from a complete call before the response ends, and stores the call first', async () => {
    const engine = await heldAt(events(words, alpha), childAsked, [words, alpha, beta]);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed']);
    const parts = engine.of('message-part').filter(({ agent }) => agent === 'lead');
    expect(parts.slice(0, 2).map(({ part, value }) => [part, value.type])).toEqual([
      [0, 'text'],
      [1, 'tool_use'],
    ]);
    const asked = engine.of('run-queue').find(({ agent }) => agent === 'alpha');
    const started = engine.of('run-start').find(({ agent }) => agent === 'alpha');
    const ended = engine
      .durable()
      .find((event) => event.type === 'message-end' && event.entry.kind === 'assistant' && event.agent === 'lead');
    expect(parts[1]?.seq).toBeLessThan(asked?.seq ?? 0);
    expect(started?.seq).toBeLessThan(ended?.seq ?? 0);
    expect(engine.model.requests.at(-1)?.seen.results.map(({ isError }) => isError)).toEqual([false, false]);
    engine.model.expectDone();
  });

  test('keeps the entry number that the message had when its first part was stored', async () => {
    const readme = toolUse('read_file', { path: 'README.md' });
    const engine = await heldAt(events(alpha), (one) => one.event('tool-end'), [readme, alpha]);
    await engine.ask('Go');
    const [first] = responses(engine);
    const [result] = engine.of('tool-end');
    expect(engine.of('message-part')[0]?.n).toBe(first?.n);
    expect(result?.entry.n).toBe((first?.n ?? 0) + 1);
    const entries = await engine.runtime.request('run.entries', { runId: result?.runId ?? '' });
    expect(entries.map(({ n }) => n)).toEqual(entries.map((_, index) => index));
    expect(entries.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    engine.model.expectDone();
  });

  test.each(
    variations<[string, (engine: Harness) => Promise<unknown>]>([
      ['while it comes', async () => undefined],
      ['after it came', (engine: Harness) => engine.event('message-end', (event) => event.entry.kind === 'assistant')],
    ]),
  )('requests an approval at once, which may be answered %s', async (when, until) => {
    const answer = Promise.withResolvers<void>();
    const asked = (one: Harness) => one.event('approval-request');
    const engine = await heldAt(
      events(alpha),
      async (one) => {
        await asked(one);
        if (when === 'while it comes') answer.resolve();
        if (when === 'while it comes') await childAsked(one);
      },
      [alpha, text('That is all.')],
      { engine: { person: () => null } },
    );
    const { workflowId } = await engine.send('Go');
    const question = await asked(engine);
    await Promise.all([answer.promise, until(engine)].slice(when === 'while it comes' ? 0 : 1));
    await engine.runtime.request('approval.decide', {
      approvalId: question.approval.id,
      answer: { kind: 'allow' },
    });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'completed']);
    expect(typesOf(responses(engine)[0])).toEqual(['spawn_agent', 'text']);
    expect(responses(engine)[0], 'it came whole').not.toHaveProperty('cut');
    expect(JSON.stringify(engine.model.requests.at(-1)?.body)).not.toContain('cut off');
    engine.model.expectDone();
  });
});

describe('a response whose calls already ran', () => {
  test('is not requested again when it is cut off: its complete parts are the message', async () => {
    const engine = await heldAt(events(words, alpha), childAsked, [words, alpha, beta], {
      reply: { cutAfter: events(words, alpha) + 2 },
    });
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed']);
    expect(rules(engine)).toEqual(['lead asks', 'child reports', 'lead answers']);
    expect(engine.of('retry')).toEqual([]);
    const [first] = responses(engine);
    expect(first).toMatchObject({ stopReason: 'tool_use', interrupted: false, cut: { calls: ['spawn_agent'] } });
    expect(typesOf(first)).toEqual(['text', 'spawn_agent']);
    expect(engine.model.requests.at(-1)?.seen.lastUser).toContain(
      'your response was cut off after these calls. What followed is lost, with the calls that you had begun: spawn_agent;',
    );
    expect(outputOf(engine.model.requests.at(-1)?.seen.results[0]?.text)).toMatchObject({ success: true });
    const detail = await engine.runtime.request('workflow.get', { workflowId: end.workflowId });
    expect(detail.requests.map(({ reported }) => reported).sort()).toEqual([false, true, true]);
    expect(detail.requests.find(({ reported }) => !reported)).toMatchObject({ inputTokens: 100, turn: 0 });
    engine.model.expectDone();
  });

  test('continues with the results after an error event', async () => {
    const errorEvent = { after: events(alpha), type: 'overloaded_error', message: 'busy' };
    const engine = await heldAt(events(alpha), childAsked, [alpha, text('More to come')], {
      reply: { errorEvent },
    });
    expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed']);
    expect(rules(engine)).toEqual(['lead asks', 'child reports', 'lead answers']);
    engine.model.expectDone();
  });

  test('is abandoned when the stream falls silent, and keeps the results', async () => {
    const alarms = createAlarms(77_000);
    const engine = await startEngine(script([alpha, text('More to come')], { hangAfter: events(alpha) }), {
      settings: '[limits]\ninactivity_seconds = 77\n',
    });
    const { workflowId } = await engine.send('Go');
    await engine.event('run-end', ({ agent }) => agent === 'alpha');
    alarms.ringAll();
    expect(outcomes(await engine.ended(workflowId))).toEqual(['completed', 'completed']);
    expect(rules(engine)).toEqual(['lead asks', 'child reports', 'lead answers']);
    expect(engine.of('usage').map(({ request }) => request.error?.code ?? null)).toContain('inactive');
    engine.model.expectDone();
  });

  test('keeps the calls and results when the provider refuses or truncates the rest', async () => {
    for (const stopReason of ['refusal', 'max_tokens']) {
      const engine = await heldAt(events(alpha), childAsked, [alpha, text('And')], { reply: { stopReason } });
      expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed']);
      expect(rules(engine)).toEqual(['lead asks', 'child reports', 'lead answers']);
      engine.model.expectDone();
    }
  });

  test('answers an invalid JSON call with an error, and drops the call if the rest is cut off', async () => {
    const broken = toolUse('read_file', {}, { raw: '{"path": ' });
    const whole = await heldAt(events(alpha), childAsked, [alpha, broken]);
    expect(outcomes(await whole.ask('Go'))).toEqual(['completed', 'completed']);
    expect(whole.model.requests.at(-1)?.seen.results.map(({ isError }) => isError)).toEqual([false, true]);
    const cut = await heldAt(events(alpha), childAsked, [alpha, broken, text('And')], {
      reply: { cutAfter: events(alpha, broken) },
    });
    expect(outcomes(await cut.ask('Go'))).toEqual(['completed', 'completed']);
    expect(typesOf(responses(cut)[0])).toEqual(['spawn_agent']);
    for (const { model } of [whole, cut]) model.expectDone();
  });

  test('settles every call when the workflow is stopped, and the conversation continues', async () => {
    const engine = await startEngine(
      new Script()
        .on({ ...LEAD, step: 1, asked: /Go/ })
        .reply([words, alpha, beta], { hangAfter: events(words, alpha, beta) - 1 })
        .on(CHILD)
        .reply([text('Slow')], { hangAfter: 2 })
        .on(LEAD)
        .reply([text('Fine.')]),
    );
    const { workflowId } = await engine.send('Go');
    await engine.model.waitFor(({ seen }) => !seen.tools.includes('spawn_agent'));
    const receipt = await engine.runtime.request('workflow.stop', { workflowId });
    expect(receipt).toMatchObject({ agents: 2, requests: 2, left: 0 });
    expect(outcomes(await engine.ended(workflowId))).toEqual(['cancelled', 'cancelled']);
    expect(typesOf(responses(engine)[0])).toEqual(['text', 'spawn_agent']);
    expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['cancelled']);
    expect((await engine.ask('And now?')).outcome).toBe('completed');
    engine.model.expectDone();
  });
});

test('a response whose calls already ran is not requested again after a close and a resume', async () => {
  const store = await memoryStore();
  const silentOnce = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([alpha, beta], { name: 'lead asks', hangAfter: events(alpha) })
    .on(CHILD)
    .reply([text('Slow')], { hangAfter: 2, times: 1 })
    .on(CHILD)
    .reply([text('The report.')], { name: 'child reports' })
    .on(LEAD)
    .reply([text('Done.')], { name: 'lead answers' });
  const engine = await startEngine(silentOnce, { store: lasting(store) });
  const { workflowId, runId } = await engine.send('Go');
  await engine.event('message-start', ({ agent }) => agent === 'alpha');
  await engine.runtime.close();
  const left = await store.entriesOf(runId);
  expect(left.map(({ kind }) => kind)).toEqual(['user', 'assistant']);
  expect(left[1]).toMatchObject({ interrupted: false, stopReason: 'tool_use' });

  const { model } = engine;
  const again = await startAgain(engine, store);
  await again.request('workflow.resume', { workflowId });
  await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'completed' }));
  expect(rules(engine).filter((rule) => rule === 'lead asks')).toHaveLength(1);
  expect(rules(engine).slice(-2)).toEqual(['child reports', 'lead answers']);
  model.expectDone();
});

describe('a response without running calls', () => {
  test('is requested again when it is cut off, even within a call', async () => {
    const engine = await startEngine(
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([words, alpha], { cutAfter: events(words, alpha) - 1, times: 1, name: 'cut' })
        .on(CHILD)
        .reply([text('A report.')])
        .on({ ...LEAD, step: 1 })
        .reply([alpha])
        .on(LEAD)
        .reply([text('Done.')]),
    );
    expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'completed']);
    expect(engine.of('retry')).toHaveLength(1);
    expect(responses(engine).map(({ interrupted }) => interrupted)).toEqual([true, false, false]);
    engine.model.expectDone();
  });

  test.each(
    variations([
      ['if its call is invalid JSON', [toolUse('read_file', {}, { raw: '{"path"' })], ''],
      [
        'if the provider accepts one request at a time',
        [alpha, text('And')],
        '[providers.anthropic]\nmax_concurrent = 1\n',
      ],
      ['if its call has no arguments yet', [toolUse('list_directory', {}, { raw: '' })], ''],
    ] satisfies [string, [Block, ...Block[]], string][]),
  )('runs no call before its end: %s', async (_, first, settings) => {
    let meanwhile: string[] | null = null;
    const until = async (one: Harness): Promise<void> => {
      await one.event('message-start');
      // Time enough to act, if anything would.
      await new Promise((resolve) => setTimeout(resolve, 50));
      meanwhile = one.durable().map(({ type }) => type);
    };
    const engine = await heldAt(events(first[0]), until, first, { engine: { settings } });
    expect((await engine.ask('Go')).outcome).toBe('completed');
    expect(meanwhile).toContain('message-start');
    for (const type of ['message-part', 'tool-start', 'tool-end', 'approval-request'])
      expect(meanwhile).not.toContain(type);
    expect(engine.of('tool-end')).toHaveLength(1);
    engine.model.expectDone();
  });
});
