// A desktop window and a tab differ in their link only: what the connection sees of both is the same.
import { describe, expect, it } from 'vitest';
import type { Bridge, BridgeReply } from '#contract/frames.ts';
import { BridgeLink } from '#lib/app/client/bridge-link.ts';
import { LinkConnection } from '#lib/app/client/connection.ts';
import { eventually } from '../../../support/eventually.ts';

type Listener = Parameters<Bridge['subscribe']>[2];

/** A shell whose answers the test gives. */
function fakeBridge() {
  const requests: { method: string; input: unknown; answer: (reply: BridgeReply) => void }[] = [];
  const subscriptions: { topic: string; listener: Listener; ended: boolean }[] = [];
  const bridge: Bridge = {
    request: (method, input) => new Promise((answer) => requests.push({ method, input, answer })),
    subscribe: (topic, _input, listener) => {
      const subscription = { topic, listener, ended: false };
      subscriptions.push(subscription);
      return () => (subscription.ended = true);
    },
  };
  return { bridge, requests, subscriptions };
}

async function opened() {
  const fake = fakeBridge();
  const connection = new LinkConnection(() => new BridgeLink(fake.bridge));
  fake.requests.shift()?.answer({ ok: true, value: {} });
  await eventually(() => expect(connection.status).toBe('open'));
  return { ...fake, connection };
}

describe('BridgeLink', () => {
  it('opens when the shell has a runtime, and sends earlier requests then', async () => {
    const { bridge, requests } = fakeBridge();
    const connection = new LinkConnection(() => new BridgeLink(bridge));
    const early = connection.request('agents.list', {});
    expect(requests.map(({ method }) => method)).toEqual(['app.state']);
    requests.shift()?.answer({ ok: false, error: { code: 'internal', message: 'even so it answers' } });
    await eventually(() => expect(requests).toHaveLength(1));
    requests[0]?.answer({ ok: true, value: [] });
    await expect(early).resolves.toEqual([]);
  });

  it('carries errors with their codes', async () => {
    const { connection, requests } = await opened();
    const asked = connection.request('agents.list', {});
    requests[0]?.answer({ ok: false, error: { code: 'no_key', message: 'Set one' } });
    await expect(asked).rejects.toMatchObject({ code: 'no_key', message: 'Set one' });
  });

  it('sends plain data instead of reactive objects', async () => {
    const { connection, requests } = await opened();
    const reactive = new Proxy({ text: 'hello', left: undefined }, {});
    void connection.request('history.search', reactive);
    expect(requests[0]?.input).toEqual({ text: 'hello' });
    expect(() => structuredClone(requests[0]?.input)).not.toThrow();
  });

  it('passes events on until the subscription ends', async () => {
    const { connection, subscriptions } = await opened();
    const seen: unknown[] = [];
    const standing = connection.subscribe('attention', { canAnswer: true }, (event) => seen.push(event));
    subscriptions[0]?.listener({ ok: true, value: null });
    subscriptions[0]?.listener({ events: ['first', 'second'] });
    const end = await standing;
    end();
    expect(subscriptions[0]?.ended).toBe(true);
    subscriptions[0]?.listener({ events: ['late'] });
    expect(seen).toEqual(['first', 'second']);
  });

  it('reconnects when the runtime disappears', async () => {
    const { connection, requests, subscriptions } = await opened();
    const standing = connection.subscribe('attention', { canAnswer: true }, () => undefined);
    subscriptions[0]?.listener({ ok: true, value: null });
    await standing;
    const asked = connection.request('agents.list', {});
    requests.length = 0;
    subscriptions[0]?.listener(null);
    await expect(asked).rejects.toMatchObject({ code: 'disconnected' });
    expect(connection.status).toBe('reconnecting');
    await eventually(() => expect(requests.map(({ method }) => method)).toEqual(['app.state']));
    requests[0]?.answer({ ok: true, value: {} });
    await eventually(() => expect(connection.status).toBe('open'));
  });

  it('ends its subscriptions when the connection is closed', async () => {
    const { connection, subscriptions } = await opened();
    void connection.subscribe('attention', { canAnswer: true }, () => undefined).catch(() => undefined);
    connection.close();
    expect(subscriptions[0]?.ended).toBe(true);
  });
});
