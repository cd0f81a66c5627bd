/** The built desktop, unchanged, in Node: `electron` is a stand-in over pages of a real Chromium, see `electron-stand-in/`. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { Complaints } from './complaints.ts';
import { Pages } from './electron-stand-in/pages.ts';
import { endProcess, ROOT, startProcess } from './process.ts';
import type { Desktop, OpenSurface, SurfaceOptions } from './surface.ts';
import { Wire } from './wire.ts';

const MAIN = `${ROOT}dist/electron/main.js`;
/** `main`: the built main process, or that of a packed app. */
const argsFor = (main = MAIN) => ['--import', `${ROOT}e2e/support/electron-stand-in/register.ts`, main];

export function standInSurface(browser: Browser): OpenSurface {
  return async (options) => {
    // What pages store outlives the program, as a profile does.
    const context = await browser.newContext();
    await Complaints.watch(context, () => options.complaints);
    let app = await StandIn.start(context, options);
    return {
      get page() {
        return app.page;
      },
      get desktop() {
        return app;
      },
      another: async (path) => {
        const opened = context.waitForEvent('page');
        await app.choose('New Window');
        const page = await opened;
        await page.waitForURL(/^https:/);
        await page.goto(new URL(path, app.page.url()).href);
        return page;
      },
      crashAndRestart: async () => {
        await app.end('SIGKILL');
        app = await StandIn.start(context, options);
      },
      close: async () => {
        await app.end('SIGTERM');
        await context.close();
      },
      notes: () => app.notes(),
    };
  };
}

class StandIn implements Desktop {
  readonly #options: SurfaceOptions;
  readonly #child: ChildProcess;
  readonly #wire: Wire;
  readonly #told: { what: string; detail: unknown }[] = [];
  #notes = '';
  readonly #pages: Pages;
  #page: Page | null = null;

  static async start(context: BrowserContext, options: SurfaceOptions): Promise<StandIn> {
    const app = new StandIn(context, options);
    try {
      await app.#open();
      return app;
    } catch (error) {
      await app.end('SIGKILL');
      throw new Error(`The desktop did not start: ${app.notes().trim()}`, { cause: error });
    }
  }

  private constructor(context: BrowserContext, options: SurfaceOptions) {
    this.#options = options;
    this.#child = this.#spawn();
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#notes += text));
    this.#wire = new Wire(this.#child, (what, detail) => this.#told.push({ what, detail }));
    this.#child.once('exit', () => this.#wire.close());
    this.#pages = new Pages(context, this.#wire);
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
    return this.#wire.ask(action, argument);
  }

  async choose(label: string): Promise<void> {
    await this.act('menu', label);
  }

  async startSecond(argument?: string): Promise<number | null> {
    const second = this.#spawn(argument);
    const [code] = (await once(second, 'exit')) as [number | null];
    return code;
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await endProcess(this.#child, signal);
    await this.#pages.close();
  }

  async #open(): Promise<void> {
    const gone = once(this.#child, 'exit').then(() => {
      throw new Error('It ended before it had a window');
    });
    this.#page = await Promise.race([this.#pages.first, gone]);
    await Promise.race([this.#page.waitForURL(/^https:/, { waitUntil: 'domcontentloaded' }), gone]);
    gone.catch(() => undefined);
  }

  #spawn(argument?: string): ChildProcess {
    const { workspace, home, env } = this.#options;
    return startProcess({
      args: [...argsFor(env['STAND_IN_MAIN']), ...(argument === undefined ? [] : [argument])],
      folder: workspace,
      env: { TRIAD_HOME: home, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
  }
}
