/** `triad sessions try-now`, and Enter in the terminal that follows a workflow: waiting requests are sent again at once. */
import { expect, test } from 'vitest';
import { startEngine } from '../../../../support/engine.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { commandLine, typing } from '../../../support/memory-io.ts';

const overloaded = {
  status: 529,
  headers: { 'retry-after': '600' },
  error: { type: 'overloaded_error', message: 'Too many people' },
};

/** A provider that is overloaded once, and asks for a pause of ten minutes. */
function scriptOneOverload(): Script {
  return new Script()
    .on({})
    .reply([], { ...overloaded, times: 1 })
    .on({})
    .reply([text('Here I am.')]);
}

test('try-now sends the waiting request again, and reports if none waits', async () => {
  const engine = await startEngine(scriptOneOverload(), { retryClock: 'real' });
  const { workflowId } = await engine.send('Hello');
  await engine.event('retry');
  const tryNow = async () => {
    const { code, err } = await commandLine(engine.runtime)('sessions', 'try-now', engine.conversationId);
    expect(code).toBe(0);
    return err;
  };
  expect(await tryNow()).toContain('Sent again: 1 request.');
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Here I am.' });
  expect(await tryNow()).toContain('No request of this session waits for its provider.');
});

test('Enter at the terminal of a run sends the waiting request again', async () => {
  const engine = await startEngine(scriptOneOverload(), { retryClock: 'real' });
  const triad = commandLine(engine.runtime, { terminal: typing(['']) });
  const { code, out, err } = await triad('run', '--approve', 'ask', 'Hello');
  expect(code).toBe(0);
  expect(err).toMatch(/waiting for the provider, next try in 10 min 0 s: .*"Too many people"/);
  expect(err).toContain('Press Enter to try now, or Ctrl+C to stop.');
  expect(out).toContain('Here I am.');
});
