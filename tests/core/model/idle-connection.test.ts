/** An idle connection refers to nothing of the request that opened it. */
import { expect, test } from 'vitest';
import { answering, PROTOCOLS, requestOf, serve } from '../../support/fake-model/exchange.ts';
import { text } from '../../support/fake-model/script.ts';
import { collectGarbage } from '../../support/held.ts';

test.for([...PROTOCOLS])('an idle connection does not refer to the listener of its request: %s', async (protocol) => {
  const { server, model } = await serve(answering([text('Done.')]), {}, protocol);
  const request = async (): Promise<WeakRef<object>> => {
    const listener = { signs: 0 };
    const onSign = () => void (listener.signs += 1);
    const { signal } = new AbortController();
    for await (const event of model.stream(requestOf(), signal, onSign)) expect(event.type).not.toBe('error');
    expect(listener.signs).toBeGreaterThan(0);
    return new WeakRef(listener);
  };
  const ref = await request();
  const isCollected = () => {
    collectGarbage();
    return ref.deref() === undefined;
  };
  await expect.poll(isCollected, { timeout: 5000 }).toBe(true);
  await request();
  expect(server.connections()).toBe(1);
});
