/** A page whose process is in other hands sends what it likes: nothing of it gets through, and each try is accounted for. */
import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ServerFrame } from '#contract/frames.ts';
import { Script } from '../support/fake-model/script.ts';
import { startEngine } from '../support/engine.ts';
import { HOSTILE_CLASSES, hostileFrames } from '../support/hostile/frames.ts';
import { inFullRun } from '../support/samples.ts';

const ipcMain = vi.hoisted(() => ({ current: null as EventEmitter | null }));
vi.mock('electron', () => ({
  get ipcMain() {
    return ipcMain.current;
  },
  protocol: {},
}));
const { Ipc } = await import('../../electron/ipc.ts');
const { Refusals } = await import('../../electron/desktop/refusals.ts');
const { CHANNEL, LANGUAGE_CHANNEL, TOLD_CHANNEL } = await import('../../electron/channel.ts');

const SEED = 20_261;
const FRAME = { origin: 'app://bundle', url: 'app://bundle/', parent: null, detached: false };

class Contents extends EventEmitter {
  readonly sent: (ServerFrame | null)[] = [];
  isDestroyed = () => false;
  send(_channel: string, frame: ServerFrame | null): void {
    this.sent.push(structuredClone(frame));
  }
}

interface Sender {
  /** Null: it is gone already; left out: the honest one. */
  frame?: object | null;
  from?: Contents;
  channel?: string;
}

function shell() {
  const main = (ipcMain.current = new EventEmitter());
  const lines: string[] = [];
  const told: unknown[] = [];
  const refusals = new Refusals((line) => lines.push(line));
  onTestFinished(() => refusals.flush());
  const report = (line: string) => void lines.push(line);
  const ipc = new Ipc({
    report,
    refusals,
    onLanguage: (tag) => told.push(tag),
    onTold: (_page, one) => told.push(one),
  });
  const page = new Contents();
  ipc.admit(page as never);
  const send = (value: unknown, { frame, from = page, channel = CHANNEL }: Sender = {}) =>
    main.emit(channel, { sender: from, senderFrame: frame === undefined ? FRAME : frame }, value);
  const refused = () => refusals.list().find(({ what }) => what === 'message')?.count ?? 0;
  return { ipc, page, refusals, lines, told, send, refused };
}

test('hostile payloads of every class reach no handler, break nothing, and are each counted', async () => {
  const frames = hostileFrames(SEED, inFullRun ? 20_000 : 300);
  expect([...new Set(frames.map((one) => one.class))].sort()).toEqual([...HOSTILE_CLASSES].sort());
  const { runtime } = await startEngine(new Script());
  const before = await runtime.request('conversation.list', {});
  const { ipc, page, refusals, lines, send, refused } = shell();
  ipc.use(runtime);
  for (const { frame } of frames) send(frame);
  await vi.waitFor(() => expect(refused()).toBe(frames.length));
  expect(page.sent.filter((frame) => frame?.kind !== 'reply' || frame.reply.ok)).toEqual([]);
  expect(await runtime.request('conversation.list', {})).toEqual(before);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);

  refusals.flush();
  const more = Number(/refused a message (\d+) more times/.exec(lines.join('\n'))?.[1]);
  const told = lines.filter((line) => line.startsWith('refused a message ') && !line.endsWith('more times'));
  expect(told.length + more, 'each is in the log, as a line or in a number').toBe(frames.length);
  expect(lines.every((line) => !line.includes('\n') && line.length < 1000)).toBe(true);

  send({ kind: 'request', id: -7, method: 'app.state', input: {} });
  const answered = () => page.sent.find((frame) => frame?.id === -7);
  await vi.waitFor(() => expect(answered(), 'an honest page is still answered').toMatchObject({ reply: { ok: true } }));
});

test('accepts messages only from the top document of an app window, on every channel', async () => {
  const { page, send, told, refused } = shell();
  const honest = { kind: 'request', id: 1, method: 'app.state', input: {} };
  const senders = [
    { frame: null },
    { frame: { ...FRAME, parent: {} } },
    { frame: { ...FRAME, detached: true } },
    ...[
      'https://bundle',
      'app://elsewhere',
      'app://bundle.evil',
      'file://',
      'null',
      'APP://bundle',
      'app://bundle:80',
    ].map((origin) => ({ frame: { ...FRAME, origin } })),
    { from: new Contents() },
  ];
  for (const channel of [CHANNEL, LANGUAGE_CHANNEL, TOLD_CHANNEL])
    for (const sender of senders) send(honest, { ...sender, channel });
  expect(refused()).toBe(senders.length * 3);
  expect([page.sent, told]).toEqual([[], []]);
});

test('a page can queue at most 500 requests before a runtime is connected', () => {
  const { send, refused } = shell();
  for (let id = 0; id < 600; id += 1) send({ kind: 'request', id, method: 'app.state', input: {} });
  expect(refused()).toBe(100);
});
