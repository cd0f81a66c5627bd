/** The built desktop, unchanged, in Node: `electron` is a stand-in over a real Chromium, see `electron-stand-in/`. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Browser, chromium, type Page } from '@playwright/test';
import { cdpTransport } from './cdp-transport.ts';
import { Complaints } from './complaints.ts';
import { endProcess, ROOT, startProcess } from './process.ts';
import type { Desktop, OpenSurface, SurfaceOptions } from './surface.ts';

const ARGS = ['--import', `${ROOT}e2e/support/electron-stand-in/register.ts`, `${ROOT}dist/electron/main.js`];

export const openStandIn: OpenSurface = async (options) => {
  let app = await StandIn.start(options);
  return {
    get page() {
      return app.page;
    },
    get desktop() {
      return app;
    },
    another: async (path) => {
      const opened = app.page.context().waitForEvent('page');
      await app.choose('New Window');
      const page = await opened;
      await page.waitForURL(/^https:/);
      await page.goto(new URL(path, app.page.url()).href);
      return page;
    },
    crashAndRestart: async () => {
      await app.end('SIGKILL');
      app = await StandIn.start(options);
    },
    close: () => app.end('SIGTERM'),
    notes: () => app.notes(),
  };
};

interface Wish {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** What the app asked of the machine, or how a wish of the test ended. */
type Message = { what: string; detail: unknown } | { id: number; value?: unknown; error?: string };

class StandIn implements Desktop {
  readonly #child: ChildProcess;
  readonly #options: SurfaceOptions;
  readonly #told: { what: string; detail: unknown }[] = [];
  readonly #wishes = new Map<number, Wish>();
  #notes = '';
  #browser: Browser | null = null;
  #page: Page | null = null;

  static async start(options: SurfaceOptions): Promise<StandIn> {
    const app = new StandIn(options);
    try {
      await app.#connect();
      return app;
    } catch (error) {
      await app.end('SIGKILL');
      throw new Error(`The desktop did not start: ${app.notes().trim()}`, { cause: error });
    }
  }

  private constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#child = this.#spawn();
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#notes += text));
    this.#child.on('message', (message) => this.#receive(message as Message));
  }

  /** The first window; it is there from the start. */
  get page(): Page {
    if (this.#page === null) throw new Error('The desktop has no window yet');
    return this.#page;
  }

  notes(): string {
    return this.#notes;
  }

  asked(what: string): unknown[] {
    return this.#told.filter((one) => one.what === what).map(({ detail }) => detail);
  }

  act(action: string, argument = ''): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#wishes.size;
      this.#wishes.set(id, { resolve, reject });
      this.#child.send({ id, action, argument });
    });
  }

  async choose(label: string): Promise<void> {
    await this.act('menu', label);
  }

  async startSecond(): Promise<number | null> {
    const second = this.#spawn();
    const [code] = (await once(second, 'exit')) as [number | null];
    return code;
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await endProcess(this.#child, signal);
    await this.#browser?.close();
  }

  async #connect(): Promise<void> {
    const gone = once(this.#child, 'exit').then(() => {
      throw new Error('It ended before it had a window');
    });
    const browser = await Promise.race([
      this.#endpoint()
        .then(cdpTransport)
        .then((way) => chromium.connectOverCDP(way)),
      gone,
    ]);
    this.#browser = browser;
    const context = browser.contexts()[0]!;
    await Complaints.watch(context, () => this.#options.complaints);
    this.#page = context.pages()[0]!;
    // Nothing of the first page is missed.
    await this.act('go');
    await Promise.race([this.#page.waitForURL(/^https:/, { waitUntil: 'domcontentloaded' }), gone]);
    gone.catch(() => undefined);
  }

  async #endpoint(): Promise<string> {
    while (this.asked('browser').length === 0) await once(this.#child, 'message');
    return String(this.asked('browser')[0]);
  }

  #spawn(): ChildProcess {
    const { workspace, home, env } = this.#options;
    return startProcess({
      args: ARGS,
      folder: workspace,
      env: { TRIAD_HOME: home, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
  }

  #receive(message: Message): void {
    if ('what' in message) this.#told.push(message);
    else if (message.error === undefined) this.#wishes.get(message.id)?.resolve(message.value);
    else this.#wishes.get(message.id)?.reject(new Error(message.error));
  }
}
