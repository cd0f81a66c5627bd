/** One Chromium for the process: in its process group, so that it dies with it, and open to the test over its port. */
import { spawn } from 'node:child_process';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { cdpTransport } from '../cdp-transport.ts';
import { chromiumArgs, chromiumPath } from '../chromium.ts';

const QUIET = [
  ...['--headless', '--disable-gpu', '--no-first-run', '--disable-extensions', '--disable-sync', '--mute-audio'],
  ...['--disable-background-networking', '--disable-component-update', '--hide-scrollbars', '--no-pings'],
  ...['--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows'],
  ...['--disable-renderer-backgrounding', '--in-process-gpu', '--password-store=basic', '--force-color-profile=srgb'],
];

export class Chromium {
  #endpoint: Promise<string> | null = null;
  #context: Promise<BrowserContext> | null = null;
  #kill: () => void = () => undefined;
  #spare = true;

  /** Its profile lies in the app's folder, so that what pages store outlives the process. */
  launch(profile: string): void {
    this.#endpoint ??= this.#start(profile);
    this.#context ??= this.#endpoint.then(async (url) => {
      const browser = await chromium.connectOverCDP(await cdpTransport(url));
      // The one that it started with.
      return browser.contexts()[0]!;
    });
  }

  endpoint(): Promise<string> {
    return this.#endpoint ?? Promise.reject(new Error('The app has set no folder for its data'));
  }

  context(): Promise<BrowserContext> {
    return this.#context ?? Promise.reject(new Error('The app has set no folder for its data'));
  }

  /** The first page is the one that it started with. */
  async newPage(): Promise<Page> {
    const context = await this.context();
    const first = this.#spare ? context.pages()[0] : undefined;
    this.#spare = false;
    return first ?? context.newPage();
  }

  close(): void {
    this.#kill();
  }

  #start(profile: string): Promise<string> {
    const args = [...QUIET, ...chromiumArgs(), '--remote-debugging-port=0', `--user-data-dir=${profile}`];
    const child = spawn(chromiumPath() ?? chromium.executablePath(), [...args, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#kill = () => child.kill('SIGKILL');
    return new Promise((resolve, reject) => {
      let said = '';
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`Chromium did not start: ${said}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
  }
}
