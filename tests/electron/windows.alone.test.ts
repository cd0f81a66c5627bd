/** Windows: which one comes to the front, where the first opens again, and what happens where there is none. */
import type { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';

/** What is looked at of the options of a window. */
interface Options {
  name?: string;
  windowStatePersistence?: boolean;
  show?: boolean;
  backgroundColor?: string;
}

const fake = await vi.hoisted(async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  const done: string[] = [];
  const all: FakeWindow[] = [];
  class FakeWindow extends Emitter {
    readonly options: Options;
    readonly webContents: EventEmitter & { getURL: () => string };
    readonly at: number;
    minimized = false;
    #url = '';

    constructor(options: Options) {
      super();
      this.options = options;
      this.webContents = Object.assign(new Emitter(), { getURL: () => this.#url });
      this.at = all.push(this);
    }

    static getAllWindows(): FakeWindow[] {
      return [...all];
    }

    /** Another program is in front. */
    static getFocusedWindow(): null {
      return null;
    }

    async loadURL(url: string): Promise<void> {
      this.#url = url;
      done.push(`${this.at} loads ${url}`);
    }

    isMinimized(): boolean {
      return this.minimized;
    }

    restore(): void {
      done.push(`${this.at} is restored`);
    }

    show(): void {
      done.push(`${this.at} is shown`);
    }

    focus(): void {
      this.emit('focus');
    }

    /** Away at once, and another gets the focus where the system says so. */
    close(): void {
      all.splice(all.indexOf(this), 1);
      this.emit('closed');
    }
  }
  return {
    all,
    done,
    electron: { BrowserWindow: FakeWindow, nativeTheme: { shouldUseDarkColors: true }, protocol: {} },
  };
});
vi.mock('electron', () => fake.electron);
const { Windows } = await import('../../electron/windows.ts');
const TO = { conversationId: '01890a5d-ac96-774b-bcce-b302099a8057', approvalId: null };

beforeEach(() => {
  fake.all.splice(0);
  fake.done.splice(0);
});

function desk() {
  const noted: string[] = [];
  const windows = new Windows({
    preload: 'preload.cjs',
    onPlace: (path) => void noted.push(path),
    admit: () => undefined,
  });
  const open = (path?: string) => windows.open(path) as unknown as (typeof fake.all)[number];
  return { windows, open, noted };
}

const kept = ({ options: { name, windowStatePersistence } }: (typeof fake.all)[number]) => [
  name,
  windowStatePersistence,
];

test('only the first window has the name under which the system restores the position', () => {
  const { open } = desk();
  const first = open();
  const second = open();
  expect([first, second].map(kept)).toEqual([
    ['main', true],
    [undefined, undefined],
  ]);
  first.close();
  expect(kept(open()), 'one name at a time is not enough: another is open').toEqual([undefined, undefined]);
  for (const one of [...fake.all]) one.close();
  expect(kept(open())).toEqual(['main', true]);
});

test('a window is shown once its page is drawn, on the page’s own background', () => {
  const window = desk().open();
  expect([window.options.show, window.options.backgroundColor, fake.done]).toEqual([
    false,
    '#131416',
    ['1 loads app://bundle/'],
  ]);
  window.emit('ready-to-show');
  expect(fake.done.at(-1)).toBe('1 is shown');
});

test('while another program has the focus, the most recently focused window is shown, then the one before', () => {
  const { windows, open } = desk();
  const [first, second, third] = [open('/a'), open('/b'), open('/c')];
  for (const one of [first, third, second]) one.focus();
  second.minimized = true;
  fake.done.splice(0);
  windows.lead(TO);
  expect(fake.done).toEqual(['2 is restored', '2 is shown', expect.stringMatching(/^2 loads app:\/\/bundle\/b#/)]);
  second.close();
  windows.show();
  expect(fake.done.at(-1)).toBe('3 is shown');
  third.close();
  first.close();
  windows.run({ command: 'settings', folder: null });
  expect([fake.all.length, fake.done.at(-1)], 'where there is none').toEqual([1, '1 loads app://bundle/#do=settings']);
});

test('shows a window that never had the focus', () => {
  const { windows, open } = desk();
  open();
  windows.show();
  expect([fake.all.length, fake.done.at(-1)]).toEqual([1, '1 is shown']);
});

test('reports the path of a window at each navigation, without query and hash', () => {
  const { open, noted } = desk();
  const { webContents } = open();
  webContents.emit('did-navigate', {}, 'app://bundle/chat/x#see=1');
  webContents.emit('did-navigate-in-page', {}, 'app://bundle/settings?a=1');
  expect(noted).toEqual(['/chat/x', '/settings']);
});
