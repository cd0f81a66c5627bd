// A session attaches without losing or doubling anything, whenever it does so.
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import type { Snapshot } from '#contract/view.ts';
import { Session } from '#lib/runs/session.svelte.ts';
import { fromSnapshot } from '#lib/view/reduce.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { Rows } from '../support/rows.ts';
import { conversationId, Recording } from '../../support/recording.ts';
import { workflow } from '../support/workflows.ts';

function story(): AgentEvent[] {
  const made = new Recording();
  const children = [{ allowed: true, finished: true }];
  workflow(made, {
    prompt: 'Do it',
    answer: 'It is done, and more.',
    children,
    retry: false,
    early: false,
    resumed: false,
  });
  return made.events;
}

function snapshotAfter(events: readonly AgentEvent[]): Snapshot {
  const rows = new Rows();
  for (const event of events) rows.take(event);
  return rows.snapshot();
}

/** Frames come when the test says so. */
class Frames {
  #waiting: (() => void)[] = [];
  readonly schedule = (callback: () => void): (() => void) => {
    this.#waiting.push(callback);
    return () => (this.#waiting = this.#waiting.filter((other) => other !== callback));
  };
  next(): void {
    for (const callback of this.#waiting.splice(0)) callback();
  }
}

function sent(connection: FakeConnection, events: readonly AgentEvent[]): void {
  for (const event of events) connection.send('conversation', event);
}

describe('Session', () => {
  it('applies each event once, whether it arrives before or after the snapshot', async () => {
    const events = story();
    const rest = fromSnapshot(snapshotAfter(events));
    const frames = new Frames();
    for (let at = 0; at < events.length; at += 1) {
      const connection = new FakeConnection();
      const reply = Promise.withResolvers<Snapshot>();
      connection.on('conversation.snapshot', () => reply.promise);
      const session = new Session(connection, conversationId, frames.schedule);
      await settled();
      sent(connection, events.slice(0, Math.min(at + 3, events.length)));
      reply.resolve(snapshotAfter(events.slice(0, at)));
      await settled();
      sent(connection, events.slice(at + 3));
      frames.next();
      expect(session.view).toEqual(rest);
      session.close();
      expect(connection.subscriptions).toEqual([]);
    }
  });

  it('loads the snapshot again when an event is missing', async () => {
    const events = story().filter((event) => 'seq' in event);
    const frames = new Frames();
    const connection = new FakeConnection();
    let known = 2;
    connection.on('conversation.snapshot', () => snapshotAfter(events.slice(0, known)));
    const session = new Session(connection, conversationId, frames.schedule);
    await settled();
    known = 6;
    sent(connection, events.slice(4, 6));
    frames.next();
    await settled();
    expect(session.view?.seq).toBe(6);
    expect(connection.calls).toHaveLength(2);
    session.close();
  });

  it('draws text of one run per frame, and all pending text before a numbered event', async () => {
    const events = story();
    const at = events.findLastIndex(({ type }) => type === 'message-start');
    const start = events[at];
    const delta = events.slice(at).find((event) => event.type === 'message-delta');
    const end = events.slice(at).find((event) => event.type === 'message-end');
    if (start?.type !== 'message-start' || !delta || !end) throw new Error('the story ends with an answer');
    const of = { runId: 'another', messageId: 'another' };
    const frames = new Frames();
    const connection = new FakeConnection();
    connection.on('conversation.snapshot', () => snapshotAfter(events.slice(0, at)));
    const session = new Session(connection, conversationId, frames.schedule);
    await settled();
    sent(connection, [start, { ...start, ...of, seq: start.seq + 1 }]);
    frames.next();
    const words = (): string[] => session.view?.open.map(({ parts }) => parts.map(({ text }) => text).join('')) ?? [];
    sent(connection, [delta, { ...delta, ...of }]);
    frames.next();
    expect(words()).toEqual([delta.text, '']);
    frames.next();
    expect(words()).toEqual([delta.text, delta.text]);
    const more = { ...delta, ...of, offset: delta.text.length, text: ' more' };
    sent(connection, [{ ...delta, offset: delta.text.length }, more, { ...end, seq: start.seq + 2 }]);
    frames.next();
    expect(words()).toEqual([`${delta.text} more`]);
    session.close();
  });

  it('subscribes again after a reconnect', async () => {
    const events = story();
    const connection = new FakeConnection();
    connection.on('conversation.snapshot', () => snapshotAfter(events));
    const session = new Session(connection, conversationId, new Frames().schedule);
    await settled();
    connection.reopen();
    await settled();
    expect(connection.subscriptions).toHaveLength(1);
    expect(session.view?.workflows).toHaveLength(1);
    session.close();
  });

  it('loads the entries and calls of an ended run once, and keeps loaded calls', async () => {
    const events = story();
    const whole = snapshotAfter(events);
    const child = whole.runs.find(({ parentRunId }) => parentRunId !== null);
    if (!child) throw new Error('the story has a child');
    const all = whole.entries[child.id] ?? [];
    const entries = Object.fromEntries(Object.entries(whole.entries).filter(([runId]) => runId !== child.id));
    const connection = new FakeConnection();
    const own = whole.calls.filter(({ runId }) => runId === child.id).map((call) => ({ ...call, undone: true }));
    const calls = whole.calls.filter(({ runId }) => runId !== child.id);
    connection.on('conversation.snapshot', () => ({ ...whole, entries, calls }));
    connection.on('run.entries', () => all);
    connection.on('run.calls', () => own);
    const session = new Session(connection, conversationId, new Frames().schedule);
    await settled();
    await Promise.all([session.loadEntries(child.id), session.loadEntries(child.id)]);
    expect(session.view?.entries.get(child.id)).toEqual(all);
    expect(own).not.toEqual([]);
    expect(session.view?.calls).toEqual([...calls, ...own]);
    expect(connection.calls.filter(({ method }) => method === 'run.entries')).toHaveLength(1);
    session.close();
  });

  it('says what went wrong when the conversation cannot be read', async () => {
    const connection = new FakeConnection();
    const session = new Session(connection, conversationId, new Frames().schedule);
    await settled();
    expect(session.failure?.code).toBe('internal');
    expect(session.view).toBeNull();
    session.close();
  });
});
