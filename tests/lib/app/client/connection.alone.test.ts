// One link carries requests, replies and events; a broken one is said to be broken, and made again.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LinkConnection } from '#lib/app/client/connection.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { FakeLink } from '../../support/fake-link.ts';

const links: FakeLink[] = [];
const last = (): FakeLink => {
  const link = links.at(-1);
  if (!link) throw new Error('no link was opened');
  return link;
};
function connect(): LinkConnection {
  return new LinkConnection(() => {
    const link = new FakeLink();
    links.push(link);
    return link;
  });
}

beforeEach(() => {
  links.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('LinkConnection', () => {
  it('delays requests until the first opening, and matches replies by id', async () => {
    const connection = connect();
    const first = connection.request('app.state', {});
    const second = connection.request('agents.list', {});
    expect(last().frames).toEqual([]);
    last().open();
    expect(last().frames.map((frame) => frame.kind === 'request' && frame.method)).toEqual([
      'app.state',
      'agents.list',
    ]);
    const [a, b] = last().frames.map(({ id }) => id);
    last().receive({ kind: 'reply', id: b ?? 0, reply: { ok: true, value: [] } });
    last().receive({
      kind: 'reply',
      id: a ?? 0,
      reply: { ok: false, error: { code: 'no_key', message: 'Set one' } },
    });
    await expect(second).resolves.toEqual([]);
    await expect(first).rejects.toMatchObject({ code: 'no_key', message: 'Set one' });
  });

  it('passes on events that come before the reply, until the subscription ends', async () => {
    const connection = connect();
    last().open();
    const seen: unknown[] = [];
    const standing = connection.subscribe('attention', { canAnswer: true }, (event) => seen.push(event));
    const id = last().frames[0]?.id ?? 0;
    last().receive({ kind: 'events', id, events: ['early'] });
    last().receive({ kind: 'reply', id, reply: { ok: true, value: null } });
    const end = await standing;
    last().receive({ kind: 'events', id, events: ['late'] });
    end();
    expect(last().frames.at(-1)).toEqual({ kind: 'unsubscribe', id });
    last().receive({ kind: 'events', id, events: ['too late'] });
    expect(seen).toEqual(['early', 'late']);
  });

  it('rejects open requests when the connection drops, and new requests until it is back', async () => {
    const connection = connect();
    last().open();
    const asked = connection.request('app.state', {});
    last().drop();
    await expect(asked).rejects.toBeInstanceOf(RequestError);
    expect(connection.status).toBe('reconnecting');
    await expect(connection.request('app.state', {})).rejects.toMatchObject({ code: 'disconnected' });
  });

  it('reconnects with growing delays, and reports when to subscribe again', () => {
    const connection = connect();
    const opened = vi.fn();
    connection.onOpen(opened);
    last().open();
    last().drop();
    const delays: number[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const count = links.length;
      const from = Date.now();
      while (links.length === count) vi.advanceTimersByTime(50);
      delays.push(Date.now() - from);
      last().drop();
    }
    expect(delays[0]).toBeLessThanOrEqual(350);
    expect(delays[3]).toBeGreaterThan(delays[0] ?? 0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(6050);
    vi.advanceTimersByTime(7000);
    last().open();
    expect(connection.status).toBe('open');
    expect(opened).toHaveBeenCalledTimes(2);
  });

  it('retry reconnects at once, and opens only one link', () => {
    const connection = connect();
    last().open();
    connection.retry();
    expect(links, 'it is there').toHaveLength(1);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      last().drop();
      if (attempt < 5) vi.advanceTimersByTime(10_000);
    }
    const { length } = links;
    connection.retry();
    connection.retry();
    expect(links, 'and by one').toHaveLength(length + 1);
    vi.advanceTimersByTime(60_000);
    expect(links).toHaveLength(length + 1);
    last().open();
    expect(connection.status).toBe('open');
  });

  it('does not reconnect after it is closed', () => {
    const connection = connect();
    last().open();
    last().drop();
    connection.close();
    connection.retry();
    vi.advanceTimersByTime(60_000);
    expect(links).toHaveLength(1);
    expect(connection.status).toBe('closed');
  });
});
