/** What can go wrong with the model: one clear message each, the right outcome, nothing lost, every attempt counted. */
import { describe, expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { CHILD, LEAD, plainAnswer, spawn } from '../../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { fullTest } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

const { start } = sharedEngine();

const answer = { times: 1, required: true };
const overloaded = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };

describe('failures of the model', () => {
  test('a wrong API key ends the workflow with an authentication error', async () => {
    const engine = await startEngine(plainAnswer(), { keys: ['right'], apiKey: 'wrong' });
    const end = await engine.ask('Hello');
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'auth' } });
    expect(end.error?.message).toMatch(/refused the key: "invalid x-api-key"/);
    expect(end.error?.message).not.toContain('wrong');
  });

  test('retries status 429 with retry-after and status 529, with an event and a counted request for each attempt', async () => {
    const script = new Script()
      .step([], {
        status: 429,
        headers: { 'retry-after': '0' },
        error: { type: 'rate_limit_error', message: 'Slow down' },
      })
      .step([], overloaded)
      .step([text('At last.')]);
    const engine = await start(script);
    const end = await engine.ask('Hello');
    expect(end).toMatchObject({ outcome: 'completed', text: 'At last.' });
    expect(engine.of('retry').map(({ error }) => error.code)).toEqual(['rate_limited', 'overloaded']);
    const { requests } = await engine.runtime.request('workflow.get', { workflowId: end.workflowId });
    expect(requests.map(({ attempt, error }) => [attempt, error?.code ?? null])).toEqual([
      [1, 'rate_limited'],
      [2, 'overloaded'],
      [3, null],
    ]);
  });

  test('an overload that stays interrupts an unattended workflow, which completes after it is resumed', async () => {
    let isDown = true;
    const script = new Script().on({ where: () => isDown }).reply([], overloaded);
    script.on({}).reply([text('At last.')]);
    const engine = await startEngine(script, { isAttended: false });
    const end = await engine.ask('Hello');
    expect(end).toMatchObject({ outcome: 'interrupted', error: { code: 'interrupted' } });
    expect(end.error?.message).toMatch(/The provider did not answer.*"Overloaded"/s);
    const waitedMs = engine.of('retry').reduce((sum, { delayMs }) => sum + delayMs, 0);
    expect(waitedMs).toBeGreaterThan(14 * 60_000);
    isDown = false;
    await engine.runtime.request('workflow.resume', { workflowId: end.workflowId });
    expect(await engine.event('workflow-end', ({ outcome }) => outcome === 'completed')).toMatchObject({
      text: 'At last.',
    });
  });

  test('an empty answer is requested once more', async () => {
    const engine = await start(new Script().step([]).step([text('Second try.')]));
    expect(await engine.ask('Hello')).toMatchObject({ outcome: 'completed', text: 'Second try.' });
    expect(engine.of('usage').map(({ request }) => request.error)).toEqual([null, null]);
    expect(engine.model.requests.map(({ seen }) => seen.prompt)).toEqual(['Hello', 'Hello']);
  });

  test('retries a stream that is cut inside a tool call, and never runs the partial call', async () => {
    const script = new Script()
      .on({ step: 1 })
      .reply([text('I read.'), toolUse('read_file', { path: 'README.md' }, { deltas: 4 })], {
        ...answer,
        cutAfter: 7,
      })
      .on({ step: 1 })
      .reply([text('Second try.')]);
    const engine = await start(script);
    const end = await engine.ask('Hello');
    expect(end).toMatchObject({ outcome: 'completed', text: 'Second try.' });
    expect(engine.of('tool-start')).toHaveLength(0);
    const assistants = engine.of('message-end').flatMap(({ entry }) => (entry.kind === 'assistant' ? [entry] : []));
    expect(assistants.map(({ interrupted }) => interrupted)).toEqual([true, false]);
    expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).not.toContain('I read.');
  });

  test('names the endpoint that cannot be reached', async () => {
    const engine = await startEngine(plainAnswer());
    await engine.model.close();
    const end = await engine.ask('Hello');
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'unreachable' } });
    expect(end.error?.message).toContain('127.0.0.1');
  });

  test('answers an invalid call with the problem and the valid choices, and runs nothing', async () => {
    const spawning = (input: object) => toolUse('spawn_agent', input);
    const wrong: [Block, RegExp][] = [
      [toolUse('run_rocket', {}), /There is no tool "run_rocket".*read_file.*spawn_agent/s],
      [
        toolUse('delegate_task', { operation: 'delegate', agent_id: 'nobody', prompt: 'Do it' }),
        /agent not found: "nobody".*code-reviewer/,
      ],
      [spawning({ operation: 'spawn', prompt: 'x' }), /name/],
      [spawning({ operation: 'spawn', name: 'x', prompt: '  ' }), /must not be empty/],
      [spawning({ operation: 'spawn', name: 'x', prompt: 'y', history: [] }), /history/],
      [spawning({ operation: 'clone' }), /operation/],
      [spawning({ operation: 'spawn', name: 'x', prompt: 'y', model: 'two words' }), /"two words" is not a model/],
      [toolUse('read_file', {}, { raw: '{"path": "READ' }), /not complete JSON/],
    ];
    const script = new Script().on({ step: 1 }).reply(wrong.map(([call]) => call));
    script.on({}).reply([text('I see.')]);
    const engine = await start(script);
    expect(await engine.ask('Hello')).toMatchObject({ outcome: 'completed', subAgents: [] });
    const results = engine.model.requests[1]?.seen.results ?? [];
    expect(results.map(({ isError }) => isError)).toEqual(wrong.map(() => true));
    for (const [index, [, words]] of wrong.entries()) expect(results[index]?.text).toMatch(words);
  });

  test('does not count a refusal, a truncated answer or an empty answer as completed', async () => {
    const outcomeOf = async (script: Script): Promise<string> => (await (await start(script)).ask('Hello')).outcome;
    expect(await outcomeOf(new Script().step([text('No.')], { stopReason: 'refusal' }))).toBe('refused');
    expect(await outcomeOf(new Script().step([text('Half an')], { stopReason: 'max_tokens' }))).toBe('partial');
    expect(await outcomeOf(new Script().step([]).step([]))).toBe('partial');
  });

  test('rejects an empty message and accepts a message of 1 MB', async () => {
    const engine = await startEngine(plainAnswer());
    await expect(engine.send('  \n')).rejects.toMatchObject({ code: 'bad_input' });
    expect(engine.events).toEqual([]);
    const large = 'All work and no play. '.repeat(50_000);
    const end = await engine.ask(large);
    expect(end.outcome).toBe('completed');
    expect(engine.model.requests[0]?.seen.prompt).toBe(large);
    const [start] = await engine.store.events(engine.conversationId, 1, 1);
    expect(start).toMatchObject({ type: 'workflow-start', prompt: large });
  });

  test('rejects a new conversation without an API key', async () => {
    await expect(startEngine(plainAnswer(), { apiKey: '' })).rejects.toMatchObject({ code: 'no_key' });
  });

  fullTest(
    'tests/core/workflows/clocks.test.ts › a sub-agent whose model is silent three times ends as timed out, and its lead continues',
  )('ends a silent sub-agent as timed out, and its lead continues', async () => {
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'mute', prompt: 'Speak.' })])
      .on(CHILD)
      .reply([text('Hm')], { hangAfter: 4 })
      .on({})
      .reply([text('It fell silent.')]);
    const engine = await startEngine(script, { settings: '[limits]\ninactivity_seconds = 1\n' });
    const end = await engine.ask('Hello');
    expect(end.outcome).toBe('completed');
    expect(end.subAgents[0]).toMatchObject({ status: 'error', outcome: 'timed_out' });
  });
});
