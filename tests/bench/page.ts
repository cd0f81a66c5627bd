/** The built app in a browser, as a person has it open. */
import { chromium, type CDPSession, type Page } from '@playwright/test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumArgs, wholeChromiumPath } from '../../e2e/support/chromium.ts';
import { type Host, startHost } from '../../e2e/support/host.ts';
import { standingCopy } from './page-probes.ts';

const BUILD = join(import.meta.dirname, '../../build/index.html');

/** What is missing for it; null: nothing. */
export function whyNoPage(): string | null {
  if (!existsSync(BUILD)) return 'build/ is missing: npm run build';
  return wholeChromiumPath() === undefined && !existsSync(chromium.executablePath()) ? 'there is no Chromium' : null;
}

/** Opens the app on a home, against a model's server, and ends it afterwards. */
export async function inPage<T>(
  home: string,
  modelUrl: string,
  go: (page: Page, host: Host) => Promise<T>,
): Promise<T> {
  const executablePath = wholeChromiumPath();
  const host = await startHost({
    home,
    workspace: join(home, 'workspace'),
    env: { ANTHROPIC_API_KEY: 'bench-key', ANTHROPIC_BASE_URL: modelUrl },
  });
  try {
    const launch = { ...(executablePath === undefined ? {} : { executablePath }), args: chromiumArgs() };
    const browser = await chromium.launch(launch);
    try {
      const page = await browser.newPage();
      await page.goto(host.url);
      // The browser has its key then: whoever leaves the page before is not let in.
      await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
      return await go(page, host);
    } finally {
      await browser.close();
    }
  } finally {
    await host.stop();
  }
}

/** Opens what an element shows now as a page of its own, as large, without a program. */
export async function inCopy<T>(page: Page, selector: string, go: (plain: Page) => Promise<T>): Promise<T> {
  const copy = await page.evaluate<string>(standingCopy(selector));
  const plain = await page.context().browser()?.newPage({ viewport: page.viewportSize() });
  if (plain === undefined) throw new Error('The page has no browser');
  try {
    await plain.setContent(copy);
    return await go(plain);
  } finally {
    await plain.close();
  }
}

/** Milliseconds of processor time of the page's main thread by kind; `task` is all of them and more, as painting. */
export type Busy = Record<keyof typeof METRICS, number>;

const METRICS = {
  script: 'ScriptDuration',
  style: 'RecalcStyleDuration',
  layout: 'LayoutDuration',
  task: 'TaskDuration',
} as const;

/** What the page worked since it was asked last. */
export class Work {
  readonly #protocol: CDPSession;
  #before: Busy = { script: 0, style: 0, layout: 0, task: 0 };

  private constructor(protocol: CDPSession) {
    this.#protocol = protocol;
  }

  static async of(page: Page): Promise<Work> {
    const protocol = await page.context().newCDPSession(page);
    // Of the processor: what waits for it beside other work does not count.
    await protocol.send('Performance.enable', { timeDomain: 'threadTicks' });
    const work = new Work(protocol);
    await work.since();
    return work;
  }

  async since(): Promise<Busy> {
    const { metrics } = await this.#protocol.send('Performance.getMetrics');
    const ms = (kind: keyof Busy) => 1000 * (metrics.find(({ name }) => name === METRICS[kind])?.value ?? 0);
    const now = { script: ms('script'), style: ms('style'), layout: ms('layout'), task: ms('task') };
    const before = this.#before;
    this.#before = now;
    return {
      script: now.script - before.script,
      style: now.style - before.style,
      layout: now.layout - before.layout,
      task: now.task - before.task,
    };
  }
}
