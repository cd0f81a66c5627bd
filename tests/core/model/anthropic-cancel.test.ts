// Stopping a request: the connection closes at once, whether nothing has come yet or words are streaming.
import { expect, test } from 'vitest';
import { answering, attempt, requestOf, serve } from '../../support/fake-model/exchange.ts';
import { text } from '../../support/fake-model/script.ts';

/** It takes far longer than the test waits for its end. */
const LONG = text('word '.repeat(200), { deltas: 200, delayMs: 100 });

test('a signal that is already aborted sends nothing', async () => {
  const { server, model } = await serve(answering([text('a')]));
  const { error } = await attempt(model, requestOf(), AbortSignal.abort());
  expect(error).toMatchObject({ code: 'cancelled', retryable: false });
  expect(server.requests).toEqual([]);
});

test.for([
  ['before the headers', answering([text('a')], { hangAfter: 0 })],
  ['in a silence', answering([text('a')], { hangAfter: 3 })],
  ['while words come', answering([LONG])],
] as const)('an abort %s closes the request', async ([, script]) => {
  const { server, model } = await serve(script);
  const stop = new AbortController();
  const running = attempt(model, requestOf(), stop.signal);
  const request = await server.waitFor(() => true);
  await new Promise((resolve) => setTimeout(resolve, 60));
  const reason = new Error('stopped by the person');
  stop.abort(reason);
  const { error } = await running;
  expect(error).toMatchObject({ code: 'cancelled', retryable: false, cause: reason });
  await server.waitFor(({ closedAt }) => closedAt !== null);
  expect(request.completed).toBe(false);
});

test('ending the iteration of the stream closes the request', async () => {
  const { server, model } = await serve(answering([LONG]));
  for await (const event of model.stream(requestOf(), new AbortController().signal)) if (event.type === 'delta') break;
  const request = await server.waitFor(({ closedAt }) => closedAt !== null);
  expect(request.completed).toBe(false);
});

test('requests one after the other reuse connections', async () => {
  const { server, model } = await serve(answering([text('a')]));
  for (let n = 0; n < 6; n++) await attempt(model);
  expect(server.requests).toHaveLength(6);
  // A request made in the instant in which the last one ends may open a second one.
  expect(server.connections()).toBeLessThan(3);
});
