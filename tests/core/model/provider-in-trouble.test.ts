/** A provider that fails again and again gets the next message all the same; one that is overloaded gets one request at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const overloaded = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };

describe('a provider in trouble', () => {
  test('gets the next message at once, however many requests failed before', async () => {
    const script = new Script().on({ where: () => isDown }).reply([], overloaded);
    let isDown = true;
    script.on({}).reply([text('Here I am.')]);
    const settings = '[limits]\nunattended_wait_minutes = 0\n';
    const engine = await startEngine(script, { settings, isAttended: false });
    for (let n = 0; n < 4; n += 1) expect((await engine.ask(`Try ${n}`)).outcome).toBe('interrupted');
    isDown = false;
    expect(await engine.ask('Are you there?')).toMatchObject({ outcome: 'completed', text: 'Here I am.' });
  });

  test('after a 429 and one success of the lead, only two of three sub-agents send their requests at once', async () => {
    const names = ['a', 'b', 'c'];
    const second = Promise.withResolvers<void>();
    let requests = 0;
    // Each request waits for a second one, and then 100 ms for a third.
    const until = async (): Promise<void> => {
      requests += 1;
      if (requests === 2) second.resolve();
      await second.promise;
      await delay(100);
    };
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([toolUse('list_directory', { path: '.' })])
      .on({ ...LEAD, turn: 2 })
      .reply([], {
        status: 429,
        times: 1,
        headers: { 'retry-after': '0' },
        error: { type: 'rate_limit_error', message: 'Slow down' },
      })
      .on({ ...LEAD, turn: 2 })
      .reply(names.map((name) => spawn({ name, prompt: `Do ${name}.` })))
      .on(LEAD)
      .reply([text('Done.')])
      .on({})
      .reply([text('Report.')], { hold: { after: 0, until } });
    const engine = await startEngine(script, { settings: '[providers.anthropic]\nmax_concurrent = 3\n' });
    expect((await engine.ask('Go')).outcome).toBe('completed');
    const spans = engine.model.requests
      .filter(({ seen }) => !seen.tools.includes('spawn_agent'))
      .map(({ receivedAt, endedAt }) => ({ from: receivedAt, to: endedAt ?? Infinity }));
    const atOnce = spans.map(({ from }) => spans.filter((one) => one.from <= from && from < one.to).length);
    expect(spans).toHaveLength(3);
    // The lead's success after the 429 made it two.
    expect(Math.max(...atOnce)).toBe(2);
  });
});
