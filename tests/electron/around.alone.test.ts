/** What the desktop does by what works, waits and is set: tray, sleep, global keys, spelling, recent folders, its dialog. */
import { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DesktopChoices, USUAL_CHOICES } from '#contract/hosts/desktop-choices.ts';
import type { Client } from '#contract/rpc.ts';
import type { Attention } from '#contract/view.ts';
import { asked } from '../hosts/support/events.ts';

const desk = await vi.hoisted(async () => (await import('./support/machine.ts')).machine());
vi.mock('electron', () => desk.electron);
const { Tray } = await import('../../electron/desktop/tray.ts');
const { KeepAwake } = await import('../../electron/desktop/keep-awake.ts');
const { QuickEntry } = await import('../../electron/desktop/quick-entry.ts');
const { SpellCheck } = await import('../../electron/desktop/spell-check.ts');
const { RecentFolders } = await import('../../electron/desktop/recent-folders.ts');
const { pickingFolders } = await import('../../electron/desktop/folder-dialog.ts');
const { setMenu } = await import('../../electron/desktop/menu.ts');

beforeEach(() => desk.clear());
afterEach(() => void vi.unstubAllGlobals());

const { conversationId, workflowId } = asked().request;
const work = (id = workflowId) => ({ conversationId, workflowId: id, title: 'Tidy up.', runs: 1, subAgents: [] });
const state = (choices: Partial<DesktopChoices> = {}, rest: Partial<Attention> = {}): Attention => ({
  questions: [],
  asleep: [],
  running: [],
  desktop: { ...USUAL_CHOICES, ...choices },
  ...rest,
});
const none = () => undefined;

test('the tray appears when the setting is on, counts the work, and its menu runs the commands', async () => {
  const called: string[] = [];
  const call = (name: string) => () => void called.push(name);
  const tray = new Tray({ icon: 'tray.png', show: call('show'), newConversation: call('new'), quit: call('quit') });
  tray.receive(state());
  expect([tray.isThere, desk.asked('tray')]).toEqual([process.platform === 'win32', []]);
  tray.receive(state({ tray: 'on' }, { running: [work(), work('w-2')], questions: [asked()] }));
  expect([tray.isThere, desk.asked('tray')]).toEqual([true, ['tray.png']]);
  expect(desk.asked('tray tip')).toEqual(['Triad\n2 workflows are running\n1 waits for you']);
  for (const label of ['Show Triad', 'New Conversation', 'Quit Triad']) await desk.act('tray', label);
  expect(called).toEqual(['show', 'new', 'quit']);
  await expect(desk.act('tray', '1 waits for you'), 'says, and does nothing').rejects.toThrow('has no');
  tray.receive(null);
  expect(tray.isThere, 'until the next runtime says otherwise').toBe(true);
  tray.receive(state({ tray: 'off' }));
  expect([tray.isThere, desk.asked('tray').at(-1)]).toEqual([false, null]);
});

test('the machine stays awake while a workflow runs, unless the setting is off', () => {
  const awake = new KeepAwake();
  awake.receive(state());
  awake.receive(state({}, { running: [work()] }));
  awake.receive(state({}, { running: [work(), work('w-2')] }));
  expect(desk.asked('awake')).toEqual(['prevent-app-suspension']);
  awake.receive(state({ keepAwake: false }, { running: [work()] }));
  awake.receive(state({}, { running: [work()] }));
  awake.receive(null);
  awake.receive(null);
  expect(desk.asked('awake')).toEqual(['prevent-app-suspension', null, 'prevent-app-suspension', null]);
});

test('the quick-entry key is registered only when set, released on change, and a conflict is shown once', async () => {
  let pressed = 0;
  const entry = new QuickEntry(() => (pressed += 1));
  entry.receive(state());
  expect(desk.asked('global keys')).toEqual([]);
  entry.receive(state({ quickEntry: 'Alt+Space' }));
  entry.receive(null);
  entry.receive(state({ quickEntry: 'Alt+Space' }));
  expect(desk.asked('global keys')).toEqual(['Alt+Space']);
  await desk.act('global keys', 'Alt+Space');
  expect(pressed).toBe(1);
  entry.receive(state({ quickEntry: 'Ctrl+F12' }));
  entry.receive(state({ quickEntry: 'Ctrl+F12' }));
  await expect(desk.act('global keys', 'Alt+Space')).rejects.toThrow('Nobody');
  expect(desk.asked('message')).toMatchObject([
    { message: 'The keys Ctrl+F12 could not be taken for a new conversation' },
  ]);
  entry.receive(state());
  expect(desk.asked('message')).toHaveLength(1);
});

test('downloads a dictionary only after that choice; the context menu of a text field has the suggestions', async () => {
  const spelling = new SpellCheck();
  spelling.follow();
  expect(desk.asked('spell check'), 'before the first window').toEqual([false]);
  spelling.receive(null);
  spelling.receive(state());
  const mac = process.platform === 'darwin';
  expect([desk.asked('spell check').at(-1), desk.asked('spelling')]).toEqual([mac, []]);
  spelling.receive(state({ spellCheck: 'download' }));
  expect(desk.asked('spell check').at(-1)).toBe(true);
  if (!mac) expect(desk.asked('spelling')).toEqual([['fr', 'en-US']]);
  spelling.receive(state({ spellCheck: 'off' }));
  expect(desk.asked('spell check').at(-1)).toBe(false);

  const replaced: string[] = [];
  const contents = Object.assign(new EventEmitter(), { replaceMisspelling: (word: string) => replaced.push(word) });
  desk.electron.app.emit('web-contents-created', {}, contents);
  const editFlags = { canCut: true, canCopy: true, canPaste: true };
  const click = (params: object) =>
    contents.emit('context-menu', {}, { dictionarySuggestions: [], selectionText: '', editFlags, ...params });
  click({ isEditable: false });
  expect(desk.asked('context menu')).toEqual([]);
  click({ isEditable: false, selectionText: 'word' });
  click({ isEditable: true, dictionarySuggestions: ['parser'] });
  expect(desk.asked('context menu')).toEqual([['copy'], ['parser', 'separator', 'cut', 'copy', 'paste', 'selectAll']]);
  await desk.act('context menu', 'parser');
  expect(replaced).toEqual(['parser']);
});

test('recent folders are unique and newest first, and are requested again when another workflow starts', async () => {
  let folders = ['/b', '/a', '/b'];
  const requests: unknown[] = [];
  const request = async (method: string) => {
    requests.push(method);
    return { items: folders.map((folder) => ({ folder })), next: null };
  };
  let changes = 0;
  const recent = new RecentFolders(() => (changes += 1));
  await recent.follow({ request } as unknown as Client);
  expect([recent.list, changes]).toEqual([['/b', '/a'], 1]);
  folders = ['/c', ...folders];
  recent.receive(state({}, { running: [work()] }));
  recent.receive(state({}, { running: [work()] }));
  await Promise.resolve();
  await Promise.resolve();
  expect([recent.list, changes, requests.length]).toEqual([['/c', '/b', '/a'], 2, 2]);
});

test('folder.pick opens one system dialog at a time, and a relative start folder is ignored', async () => {
  const passed: string[] = [];
  const client = pickingFolders({ request: async (method: string) => void passed.push(method) } as unknown as Client);
  const here = `${process.cwd()}/tests`;
  await mkdir(here, { recursive: true });
  const first = client.request('folder.pick', { from: here });
  expect(await client.request('folder.pick', { from: here }), 'another window').toEqual({ folder: null });
  await vi.waitFor(() => desk.act('pick folder', '/picked'));
  expect(await first).toEqual({ folder: '/picked' });
  const second = client.request('folder.pick', { from: '../../etc' });
  await vi.waitFor(() => desk.act('pick folder', ''));
  expect(await second).toEqual({ folder: null });
  expect(desk.asked('folder dialog')).toEqual([
    { properties: ['openDirectory', 'createDirectory'], defaultPath: here },
    { properties: ['openDirectory', 'createDirectory'] },
  ]);
  await client.request('settings.list', {});
  expect(passed).toEqual(['settings.list']);
});

/** The menu of a system, as a tree of labels. */
async function menuOn(platform: string): Promise<unknown> {
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
  const opened: string[] = [];
  setMenu({
    newWindow: none,
    newConversation: none,
    openFolder: none,
    recent: ['/work/a & b', '/work/\u202Egpj'],
    openRecent: (folder) => void opened.push(folder),
    settings: none,
    shortcuts: none,
    menuItems: [{ label: 'Of another', click: none }],
  });
  await desk.act('menu', '/work/a && b');
  expect(opened).toEqual(['/work/a & b']);
  return desk.act('menu shows');
}

const RECENT = { 'Open Recent Folder': ['/work/a && b', '/work/⟦U+202E⟧gpj'] };

test('the menu follows the conventions of macOS', async () => {
  expect(await menuOn('darwin')).toMatchObject([
    {
      Triad: [
        ...['About Triad', 'separator', 'Settings…', 'Of another', 'separator', 'services', 'separator'],
        ...['Hide Triad', 'hideOthers', 'unhide', 'separator', 'Quit Triad'],
      ],
    },
    { File: ['New Conversation', 'New Window', 'separator', 'Open Folder…', RECENT, 'separator', 'close'] },
    expect.anything(),
    expect.anything(),
    expect.anything(),
    { Help: ['Keyboard Shortcuts'] },
  ]);
});

test('the menu follows the conventions of Windows and Linux', async () => {
  for (const platform of ['win32', 'linux'])
    expect(await menuOn(platform)).toMatchObject([
      {
        File: [
          ...['New Conversation', 'New Window', 'separator', 'Open Folder…', RECENT, 'separator'],
          ...['Settings…', 'Of another', 'separator', 'quit'],
        ],
      },
      expect.anything(),
      {
        View: [
          ...['reload', 'toggleDevTools', 'separator', 'resetZoom', 'zoomIn', 'zoomOut'],
          // Without a shift, and on the block of numbers.
          ...['(zoomIn CmdOrCtrl+=)', '(zoomIn CmdOrCtrl+numadd)'],
          ...['(zoomOut CmdOrCtrl+numsub)', '(resetZoom CmdOrCtrl+num0)', 'separator', 'togglefullscreen'],
        ],
      },
      expect.anything(),
      { Help: ['Keyboard Shortcuts', 'separator', 'About Triad'] },
    ]);
});
