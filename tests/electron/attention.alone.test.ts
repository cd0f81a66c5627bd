/** The desktop calls who is away by what is set: focus is no presence, input is; electron's part is played here. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import { DEFAULT_SIGNALS } from '#contract/attention/default-signals.ts';
import type { Signals } from '#contract/attention/signals.ts';
import { hashOfPlace, placeOfHash } from '#contract/attention/led-place.ts';
import { languageIn } from '#contract/messages/language.ts';
import type { Attention as State } from '#contract/view.ts';
import { asked } from '../hosts/support/events.ts';

const desk = vi.hoisted(() => ({
  focused: true,
  badge: -1,
  flashed: 0,
  shown: [] as { title: string; body: string; actions: unknown; open: boolean; click: () => void; act: () => void }[],
  created: null as ((event: object, contents: unknown) => void) | null,
}));
vi.mock('electron', () => ({
  app: {
    setBadgeCount: (count: number) => void (desk.badge = count),
    on: (_name: string, listener: (event: object, contents: unknown) => void) => void (desk.created = listener),
  },
  BrowserWindow: {
    getFocusedWindow: () => (desk.focused ? {} : null),
    getAllWindows: () => [{ flashFrame: () => void (desk.flashed += 1) }],
  },
  Notification: class {
    readonly #shown: (typeof desk.shown)[number];
    #onClose = (): void => undefined;
    static isSupported = () => true;
    constructor({ title, body, actions }: { title: string; body: string; actions: unknown }) {
      this.#shown = { title, body, actions, open: true, click: () => undefined, act: () => undefined };
    }
    on(event: string, listener: () => void) {
      if (event === 'click') this.#shown.click = listener;
      else if (event === 'action') this.#shown.act = listener;
      else this.#onClose = listener;
    }
    show() {
      desk.shown.push(this.#shown);
    }
    close() {
      this.#shown.open = false;
      // The system says so later.
      queueMicrotask(() => this.#onClose());
    }
  },
}));
const { Attention } = await import('../../electron/desktop/attention.ts');
const { speak } = await import('../../electron/text.ts');
const { Presence } = await import('../../electron/desktop/presence.ts');

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 4, 23, 30) });
  Object.assign(desk, { focused: true, badge: -1, flashed: 0, shown: [] });
});
afterEach(() => void vi.useRealTimers());

function started(signals: Partial<Signals> = {}) {
  const presence = new Presence();
  presence.follow();
  const contents = new EventEmitter();
  desk.created?.({}, contents);
  const clicks: unknown[] = [];
  const attention = new Attention(presence, (to) => clicks.push(to));
  const send = (state: Partial<State>): void =>
    attention.receive({
      questions: [],
      asleep: [],
      running: [],
      interrupted: [],
      signals: { ...DEFAULT_SIGNALS, ...signals },
      ...state,
    });
  send({});
  const ask = () => send({ questions: [asked({ ...asked().request, at: new Date().toISOString() })] });
  const input = (type: string, at = {}) => contents.emit('input-event', {}, { type, ...at });
  return { ask, send, input, clicks };
}

test('notifies if the focused window had no input, and after input only when a minute has passed', async () => {
  const away = started();
  away.ask();
  expect([desk.shown.length, desk.flashed, desk.badge]).toEqual([1, 1, 1]);
  away.send({});
  const here = started();
  here.input('rawKeyDown');
  here.ask();
  expect(desk.shown).toHaveLength(1);
  vi.advanceTimersByTime(62_000);
  expect(desk.shown).toHaveLength(2);
});

test('notifies at once when another program has the focus; the pointer entering a window is no input', async () => {
  const { ask, send, input } = started();
  input('mouseEnter');
  input('mouseMove', { globalX: 5, globalY: 5 });
  input('mouseMove', { globalX: 5, globalY: 5 });
  ask();
  expect(desk.shown).toHaveLength(1);
  send({});
  input('mouseMove', { globalX: 9, globalY: 5 });
  ask();
  expect(desk.shown, 'here').toHaveLength(1);
  send({});
  desk.focused = false;
  ask();
  expect(desk.shown).toHaveLength(2);
});

test('quiet hours and the off setting show no notification, but set the badge count', async () => {
  for (const signals of [{ notifications: 'off' }, { quietFrom: '23:00', quietTo: '06:00' }] as const) {
    const { ask } = started(signals);
    ask();
    expect([desk.shown, desk.badge]).toEqual([[], 1]);
  }
});

test('a notification repeats as set, a click only opens the question, and an answer closes it', async () => {
  const { ask, send, clicks } = started({ repeats: 1 });
  ask();
  vi.advanceTimersByTime(3_600_000);
  expect(desk.shown).toHaveLength(2);
  desk.shown[1]?.click();
  const place = { conversationId: asked().request.conversationId, approvalId: expect.any(String) as string };
  expect(clicks).toEqual([place]);
  // All that it offers is to look.
  expect(desk.shown[1]?.actions).toEqual([{ type: 'button', text: 'Open' }]);
  desk.shown[1]?.act();
  expect(clicks).toEqual([place, place]);
  await Promise.resolve();
  expect(desk.shown.map(({ open }) => open)).toEqual([false, true]);
  send({});
  expect(desk.shown.map(({ open }) => open)).toEqual([false, false]);
});

test('shows a notification at the end of a workflow if the setting is all', async () => {
  const { send, clicks } = started({ notifications: 'all' });
  const { conversationId, workflowId } = asked().request;
  send({ running: [{ conversationId, workflowId, title: 'Tidy up.', runs: 1, subAgents: [] }] });
  send({});
  expect(desk.shown.map(({ title, body }) => [title, body])).toEqual([['A workflow has ended', 'Tidy up.']]);
  desk.shown[0]?.click();
  expect(clicks).toEqual([{ conversationId, approvalId: null }]);
});

test('a notification uses the language of the pages', async () => {
  const { send } = started();
  expect([languageIn('fr-CA'), languageIn('de'), languageIn('constructor')]).toEqual(['fr', null, null]);
  expect([speak('fr'), speak('fr')]).toEqual([true, false]);
  onTestFinished(() => void speak('en'));
  const at = new Date().toISOString();
  const says = { title: phrase('delete', { path: 'a.md' }), description: [] };
  send({ questions: [asked({ ...asked().request, at, title: 'Delete a.md', says })] });
  expect(desk.shown.map(({ title, body }) => [title, body])).toEqual([['Question de code-reviewer', 'Supprimer a.md']]);
  send({});
  // Of another version of the program.
  send({ questions: [asked({ ...asked().request, at, title: 'Delete a.md' })] });
  expect(desk.shown[1]?.body).toBe('Delete a.md');
});

test('marks hidden characters in a notification', () => {
  const { send } = started();
  const at = new Date().toISOString();
  send({ questions: [asked({ ...asked().request, at, title: 'Write clean\u202Egpj.sh' })] });
  expect(desk.shown[0]?.body).toBe('Write clean⟦U+202E⟧gpj.sh');
});

test('the hash of an address names the place that a click opens, and other hashes are ignored', () => {
  for (const place of [
    { conversationId: 'c-1', approvalId: 'q-1' },
    { conversationId: 'c-1', approvalId: null },
    { workflowId: 'w-1' },
  ])
    expect(placeOfHash(hashOfPlace(place))).toEqual(place);
  for (const hash of ['', '#see=', '#see=a/b/c', '#workflow=', '#workflow=a/b', '#see=../x', '#main'])
    expect(placeOfHash(hash)).toBeNull();
});
