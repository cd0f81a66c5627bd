/** Sounds and notifications reach who is away, from one window, as the settings say; the clock is the test's. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_SIGNALS } from '#contract/attention/default-signals.ts';
import type { Signals } from '#contract/attention/signals.ts';
import type { Attention } from '#contract/view.ts';
import { PageCaller } from '#lib/app/page-caller.ts';
import { Presence, type Windows } from '#lib/app/presence.ts';
import type { Note } from '#lib/ui/system-notification.ts';
import { asked } from '../../hosts/support/events.ts';
import { idOf } from '../../support/recording.ts';

const START = new Date(2026, 2, 4, 12, 0, 0);
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const LOUD: Signals = { ...DEFAULT_SIGNALS, soundBlocked: true, soundDone: true };
const windows = (): Windows => ({ postMessage: () => undefined, onmessage: null, close: () => undefined });

function desk(signals: Partial<Signals> = {}, leads = true) {
  const presence = new Presence(windows());
  const heard: string[] = [];
  const shown: Note[] = [];
  const closed: string[] = [];
  const led: unknown[] = [];
  const caller = new PageCaller({
    now: Date.now,
    isHere: (seconds) => presence.isHere(seconds),
    leads: () => leads,
    play: (tone, volume) => heard.push(`${tone} ${volume}`),
    notify: (note) => {
      shown.push(note);
      return () => void closed.push(note.key);
    },
    lead: (to) => led.push(to),
  });
  const send = (state: Partial<Attention>): void =>
    caller.receive({
      questions: [],
      asleep: [],
      running: [],
      interrupted: [],
      signals: { ...LOUD, ...signals },
      ...state,
    });
  const ask = (): void => {
    const { request } = asked();
    send({ questions: [asked({ ...request, id: idOf(5), title: 'Write a.md', at: new Date().toISOString() })] });
  };
  /** As time goes by while nobody does anything. */
  const wait = (seconds: number): void => {
    for (let passed = 0; passed < seconds; passed += 2) {
      vi.advanceTimersByTime(2000);
      caller.check();
    }
  };
  send({});
  return { presence, caller, heard, shown, closed, led, send, ask, wait };
}

test('calls an absent user at once, again after a minute, and not after an answer', () => {
  const { heard, shown, closed, ask, wait, send } = desk();
  ask();
  expect([heard, shown.map(({ body }) => body)]).toEqual([['blocked 50'], ['Write a.md']]);
  wait(58);
  expect(heard).toHaveLength(1);
  wait(2);
  expect([heard.length, shown.length]).toEqual([2, 2]);
  send({});
  wait(1800);
  expect([heard.length, closed]).toEqual([2, [idOf(5)]]);
});

test('stays silent while the user types, and calls after the set time without input', () => {
  const { presence, heard, shown, ask, wait } = desk({ awaySeconds: 120 });
  presence.input();
  ask();
  for (let press = 0; press < 60; press += 1) {
    wait(4);
    presence.input();
  }
  expect([heard, shown]).toEqual([[], []]);
  wait(118);
  expect(heard).toEqual([]);
  wait(2);
  expect([heard.length, shown.length]).toEqual([1, 1]);
});

test('calls at once after the user turned to another program', () => {
  const { presence, heard, ask } = desk();
  presence.input();
  presence.left();
  ask();
  expect(heard).toHaveLength(1);
});

test('is silent in quiet hours, and calls for a waiting question when they end', () => {
  const { heard, shown, ask, wait } = desk({ quietFrom: '11:00', quietTo: '12:05' });
  ask();
  wait(4 * 60);
  expect([heard, shown]).toEqual([[], []]);
  wait(60);
  expect([heard.length, shown.length]).toEqual([1, 1]);
});

test('the end of a workflow has its own sound, and an interrupted workflow has none', () => {
  const work = (n: number) => ({
    conversationId: idOf(1),
    workflowId: idOf(n),
    title: `Work ${n}`,
    runs: 1,
    subAgents: [],
  });
  const { heard, shown, led, send } = desk({ notifications: 'all', volume: 20 });
  send({ running: [work(1), work(2)] });
  expect(heard).toEqual([]);
  const { conversationId, workflowId, title } = work(1);
  send({
    running: [work(2)],
    interrupted: [{ conversationId, workflowId, title, agent: 'lead', at: START.toISOString() }],
  });
  expect(heard).toEqual([]);
  send({ running: [] });
  expect([heard, shown.map(({ body }) => body)]).toEqual([['done 20'], ['Work 2']]);
  shown[0]?.onPress();
  expect(led).toEqual([{ conversationId, approvalId: null }]);
});

test('after a restart, reports the end of a workflow only if it was not interrupted', () => {
  const work = (n: number) => ({
    conversationId: idOf(1),
    workflowId: idOf(n),
    title: `Work ${n}`,
    runs: 1,
    subAgents: [],
  });
  const { caller, shown, send } = desk({ notifications: 'all' });
  send({ running: [work(1), work(2)] });
  const started = { questions: [], asleep: [], running: [], signals: { ...LOUD, notifications: 'all' as const } };
  caller.receive(started);
  caller.receive(started);
  expect(shown).toEqual([]);
  const { conversationId, workflowId, title } = work(1);
  send({ interrupted: [{ conversationId, workflowId, title, agent: 'lead', at: START.toISOString() }] });
  expect(shown.map(({ body }) => body)).toEqual(['Work 2']);
});

test.for<[string, Partial<Signals>, number, number]>([
  ['no sound of what waits', { soundBlocked: false }, 0, 4],
  ['no notifications', { notifications: 'off' }, 4, 0],
  ['never again', { repeats: 0 }, 1, 1],
  ['once more', { repeats: 1 }, 2, 2],
])('calls as often as the settings allow: %s', ([, signals, sounds, notes]) => {
  const { heard, shown, ask, wait } = desk(signals);
  ask();
  wait(11 * 60);
  expect([heard.length, shown.length]).toEqual([sounds, notes]);
});

test('calls for the end of a workflow only if the settings say so', () => {
  const { heard, shown, send } = desk({ soundDone: false });
  send({ running: [{ conversationId: idOf(1), workflowId: idOf(2), title: 'Work', runs: 1, subAgents: [] }] });
  send({});
  expect([heard, shown]).toEqual([[], []]);
});

test('a window that does not lead stays silent', () => {
  const { heard, shown, ask, wait } = desk({}, false);
  ask();
  wait(600);
  expect([heard, shown]).toEqual([[], []]);
});

test('a click on a notification opens the conversation with its question, and answers nothing', () => {
  const { shown, led, ask } = desk();
  ask();
  shown[0]?.onPress();
  expect(led).toEqual([{ conversationId: asked().request.conversationId, approvalId: idOf(5) }]);
});
