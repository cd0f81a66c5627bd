/** Quitting while something works: asked, and nothing but the first two answers ends the app. */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Attention } from '#contract/view.ts';
import type { Told } from './support/machine.ts';

const desk = await vi.hoisted(async () => (await import('./support/machine.ts')).machine());
vi.mock('electron', () => desk.electron);
const { quitOrderly } = await import('../../electron/desktop/orderly-quit.ts');
const { app } = desk.electron;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

beforeEach(() => {
  app.removeAllListeners();
  desk.electron.powerMonitor.removeAllListeners();
  desk.exits.splice(0);
  desk.clear();
});

function started({ running = 1, isOwner = true, hasTray = false, leaves = false, first = Promise.resolve() } = {}) {
  const work = { running, onChange: (listener: (state: Attention | null) => void) => void (changed = listener) };
  let changed: (state: Attention | null) => void = () => undefined;
  const calls: string[] = [];
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  quitOrderly({
    first: () => {
      calls.push('first');
      return first;
    },
    end: async () => void calls.push('end'),
    leave: () => leaves && calls.push('leave') > 0,
    work,
    isOwner: () => isOwner,
    hasTray: () => hasTray,
    show: () => void calls.push('show'),
  });
  const own = SIGNALS.map((signal, index) => process.listeners(signal).find((one) => !before[index]?.has(one)));
  SIGNALS.forEach((signal, index) => process.off(signal, own[index]!));
  const set = (count: number) => {
    work.running = count;
    changed({ questions: [], asleep: [], running: [] });
  };
  return { calls, set, signal: () => own[1]?.('SIGTERM'), boxes: () => desk.asked('message') as Told[] };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('without work of its own, the app quits at once, once, after writing everything', async () => {
  for (const given of [{ running: 0 }, { running: 2, isOwner: false }]) {
    const { calls, boxes } = started(given);
    app.quit();
    app.quit();
    await settled();
    expect([calls, boxes(), desk.exits.splice(0)]).toEqual([['first', 'end'], [], [0]]);
    app.removeAllListeners();
  }
});

test('asks about work that starts during the preparation; a signal ends the app without waiting', async () => {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const { calls, boxes, set } = started({ running: 0, first: ready });
  app.quit();
  set(1);
  resolve();
  await settled();
  expect([calls, boxes().length, desk.exits]).toEqual([['first'], 1, []]);
  app.removeAllListeners();
  desk.clear();

  const other = started({ running: 0, first: new Promise<void>(() => undefined) });
  app.quit();
  other.signal();
  await settled();
  expect([other.calls, desk.exits]).toEqual([['first', 'end'], [0]]);
});

test('asks once; Escape or Cancel keeps the app running and shows a window', async () => {
  const { calls, boxes } = started({ running: 2 });
  app.quit();
  app.quit();
  expect(boxes()).toEqual([
    {
      message: '2 workflows are running. Quit Triad?',
      detail: 'What is interrupted is kept, and can be resumed from its last finished step.',
      buttons: ['Quit and Interrupt', 'Keep Running Until Done, Then Quit', 'Cancel'],
      defaultId: 2,
      cancelId: 2,
    },
  ]);
  await desk.act('press', 'Escape');
  await settled();
  expect([calls, desk.exits]).toEqual([['show'], []]);
  app.quit();
  await desk.act('press', 'Quit and Interrupt');
  await settled();
  expect([calls, desk.exits]).toEqual([['show', 'first', 'end'], [0]]);
});

test('keeps running until the work is done, also without a window, then quits; Cancel takes that back', async () => {
  const { calls, set } = started();
  app.quit();
  await desk.act('press', 'Keep Running Until Done, Then Quit');
  await settled();
  app.emit('window-all-closed');
  expect(desk.asked('message'), 'not asked again').toHaveLength(1);
  app.quit();
  await desk.act('press', 'Cancel');
  await settled();
  set(0);
  await settled();
  expect(desk.exits, 'taken back').toEqual([]);
  set(1);
  app.quit();
  await desk.act('press', 'Keep Running Until Done, Then Quit');
  await settled();
  expect(desk.exits).toEqual([]);
  set(0);
  await settled();
  expect([calls, desk.exits]).toEqual([['show', 'first', 'end'], [0]]);
});

test('needs no second answer if the work ends while the question is open', async () => {
  const { set } = started();
  app.quit();
  set(0);
  await desk.act('press', 'Keep Running Until Done, Then Quit');
  await settled();
  expect(desk.exits).toEqual([0]);
});

test('closing the last window asks before quitting while work runs, unless the tray is shown', async () => {
  started({ hasTray: true });
  app.emit('window-all-closed');
  expect(desk.asked('message')).toEqual([]);
  app.removeAllListeners();
  started();
  app.emit('window-all-closed');
  expect(desk.asked('message')).toHaveLength(1);
  await desk.act('press', 'Escape');
});

test('a signal and the end of the session quit without waiting for the answer to an open question', async () => {
  for (const how of ['signal', 'shutdown', 'session-end']) {
    const { calls, signal } = started();
    app.quit();
    const window = new EventEmitter();
    app.emit('browser-window-created', {}, window);
    if (how === 'signal') signal();
    else if (how === 'shutdown') expect(await desk.act('power', 'shutdown'), 'the system waits').toBe(true);
    else window.emit('session-end', {});
    await settled();
    expect(desk.exits.splice(0), how).toEqual([0]);
    await desk.act('press', 'Cancel');
    await settled();
    expect(calls, 'too late for an answer').toEqual(['end']);
    app.removeAllListeners();
    desk.electron.powerMonitor.removeAllListeners();
  }
});

test('when an update is installed, its installer ends the app after all other steps', async () => {
  const { calls } = started({ running: 0, leaves: true });
  app.quit();
  await settled();
  expect([calls, desk.exits]).toEqual([['first', 'end', 'leave'], []]);
  app.quit();
  expect(desk.exits, 'not held up').toEqual([0]);
});
