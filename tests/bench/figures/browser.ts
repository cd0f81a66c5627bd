/** The built app in a browser: scrolling, and what a stream costs from the server to the painted frame. */
import type { Page } from '@playwright/test';
import { join } from 'node:path';
import type { Host } from '../../../e2e/support/host.ts';
import { fromEpoch } from '../clock.ts';
import { type Bar, type Figure, figure, unmeasured } from '../figure.ts';
import {
  endOfLogProbe,
  endProbe,
  FRAME_PROBE,
  repeatProbe,
  scrollProbe,
  stampProbe,
  STOP_STAMPS,
} from '../page-probes.ts';
import type { PageSeedOperations } from '../page-seed-process.ts';
import { inCopy, inPage, Work, whyNoPage } from '../page.ts';
import { Peer } from '../peer.ts';
import type { Session } from '../session.ts';
import { markdownPrompt, promptFor } from '../stamped-server.ts';
import { percentile, perSecond } from '../statistics.ts';

const LOG = 'Conversation';
const PER_SECOND = 2000;
/** Pieces of twelve characters: 6 KB a second, more than any model writes. */
const MARKDOWN_PER_SECOND = 500;
const MARKDOWN_BYTES = 50_000;
const PATIENCE_MS = 60_000;
const SETTLES_MS = 1500;
/** Each goes up by 200 px. */
const FRAMES = 240;
/** Of what is on the page, which is higher than the window. */
const COPIES = 60;
const FIGURES: readonly { id: string; title: string; unit: string; bar: Bar }[] = [
  { id: 'page-scroll', title: 'page: scroll 10,000 messages', unit: 'frames/s', bar: { partOfFloor: 0.95 } },
  { id: 'page-stream', title: 'page: stream 50 KB of Markdown', unit: 'ms/frame', bar: { atMost: 2 } },
  { id: 'page-paced', title: 'page: paced 2,000 deltas/s, painted p99', unit: 'ms', bar: { atMost: 50 } },
];

export async function browserFigures(session: Session): Promise<Figure[]> {
  const why = whyNoPage();
  if (why !== null) return FIGURES.map(({ id, title, bar }) => unmeasured(id, title, bar, why));
  const home = await session.folder('page/home');
  const { messages, scrolls, paced } = session.sizes;
  const conversationId = await seeded(home, messages);
  const server = await session.server('stamped');
  return inPage(home, await server.ask('url'), async (page, host) => [
    await scrolled(page, `${host.origin}/chat/${conversationId}`, messages, scrolls),
    await streamed(page, host),
    await painted(page, host, paced),
  ]);
}

async function seeded(home: string, messages: number): Promise<string> {
  const file = join(import.meta.dirname, '../page-seed-process.ts');
  const peer = await Peer.start<PageSeedOperations>(file, [home]);
  try {
    return await peer.ask('seed', messages);
  } finally {
    await peer.close();
  }
}

function made(index: number, ours: number, note: string, floor?: number): Figure {
  const { id = '', title = '', unit = '', bar = {} } = FIGURES[index] ?? {};
  return figure({ id, title, unit, bar, ours, note, ...(floor !== undefined && { floor }) });
}

async function scrolled(page: Page, url: string, messages: number, scrolls: number): Promise<Figure> {
  const start = performance.now();
  await page.goto(url);
  await page
    .getByText(`Answer ${messages / 2 - 1}:`)
    .first()
    .waitFor({ timeout: PATIENCE_MS });
  const opened = performance.now() - start;
  const rows = await page.locator(`[aria-label="${LOG}"] *`).count();
  const { ours, floor } = await inCopy(page, `[aria-label="${LOG}"]`, (plain) => inTurns(page, plain, scrolls));
  const p95 = percentile(ours, 0.95).toFixed(1);
  const note = `${messages} messages, shown after ${opened.toFixed(0)} ms; 200 px a frame, earlier ones loaded on the way, ${scrolls} times in turns with the floor, p95 ${p95} ms; ${rows} elements; floor: as many messages, all there, without a program`;
  return made(0, perSecond(ours), note, perSecond(floor));
}

/** The times of frames, in milliseconds, as the page is scrolled on and on, and as the same messages only stand there. */
async function inTurns(page: Page, plain: Page, scrolls: number): Promise<{ ours: number[]; floor: number[] }> {
  const times = { ours: [] as number[], floor: [] as number[] };
  const scroll = async (one: Page): Promise<number[]> => {
    await one.bringToFront();
    // Whoever opens it reads before they scroll.
    await one.waitForTimeout(SETTLES_MS);
    return one.evaluate<number[]>(scrollProbe(LOG, FRAMES));
  };
  await plain.evaluate(repeatProbe(LOG, COPIES));
  for (let round = 0; round < scrolls; round += 1) {
    times.ours.push(...(await scroll(page)));
    await plain.evaluate(endOfLogProbe(LOG));
    times.floor.push(...(await scroll(plain)));
  }
  await page.bringToFront();
  return times;
}

async function streamed(page: Page, host: Host): Promise<Figure> {
  await fresh(page, host);
  const work = await Work.of(page);
  await page.evaluate(FRAME_PROBE);
  await say(page, markdownPrompt(MARKDOWN_BYTES, MARKDOWN_PER_SECOND));
  const { script, style, layout } = await work.since();
  const busy = script + style + layout;
  const { frames } = await page.evaluate<{ frames: number }>(STOP_STAMPS);
  const note = `script, style and layout of all ${frames} frames, ${busy.toFixed(0)} ms in all; ${MARKDOWN_PER_SECOND} pieces/s`;
  return made(1, busy / frames, note);
}

async function painted(page: Page, host: Host, count: number): Promise<Figure> {
  await fresh(page, host);
  await page.evaluate(stampProbe(LOG));
  await say(page, promptFor(count, PER_SECOND));
  const { delays } = await page.evaluate<{ delays: number[] }>(STOP_STAMPS);
  // The page's clock counts from the epoch, the stamps do not.
  const shift = fromEpoch(0);
  const all = delays.map((delay) => delay + shift);
  const note = `${all.length} of ${count} deltas seen while they came, p50 ${percentile(all, 0.5).toFixed(1)}`;
  return made(2, percentile(all, 0.99), note);
}

/** A conversation that begins with the next message. */
async function fresh(page: Page, host: Host): Promise<void> {
  await page.goto(host.origin);
  await say(page, promptFor(1, 0));
}

/** Sends a message and waits for the end of its workflow. */
async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message', exact: true });
  await box.fill(text);
  await box.press('Enter');
  await page.evaluate(endProbe(LOG, text, PATIENCE_MS));
}
