/** Three sub-agents side by side who write at once: what the page makes of it, frame by frame. */
import type { Page } from '@playwright/test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Person } from '../../../e2e/support/person.ts';
import { type Bar, type Figure, figure, unmeasured } from '../figure.ts';
import { inCopy, inPage, Work, whyNoPage } from '../page.ts';
import { cardProbe, growProbe, PACE_PROBE, STOP_PACE } from '../page-probes.ts';
import type { Session } from '../session.ts';
import { median, percentile, perSecond } from '../statistics.ts';
import { WRITERS } from '../three-reports.ts';

/** A word with each delta: 200 words a second. */
const DELTA_MS = 5;
const PATIENCE_MS = 120_000;
/** Enough for three lanes beside each other. */
const ROOM = { width: 1680, height: 1000 };
const FIGURES = {
  rate: { title: 'three lanes: frames', unit: 'frames/s', bar: { partOfFloor: 0.95 } },
  p50: { title: 'three lanes: time of a frame, p50', unit: 'ms', bar: { atMost: 16.8 } },
  p99: { title: 'three lanes: time of a frame, p99', unit: 'ms', bar: { atMost: 33 } },
  long: { title: 'three lanes: tasks over 50 ms', unit: '', bar: { atMost: 0 } },
  busy: { title: 'three lanes: script, style, layout', unit: 'ms/s', bar: {} },
} satisfies Record<string, { title: string; unit: string; bar: Bar }>;

interface Pace {
  times: number[];
  tasks: number[];
}

export async function cardFigures(session: Session): Promise<Figure[]> {
  const why = whyNoPage();
  if (why !== null)
    return Object.entries(FIGURES).map(([id, { title, bar }]) => unmeasured(`cards-${id}`, title, bar, why));
  const server = await session.server('cards', String(session.sizes.words), String(DELTA_MS));
  const home = await session.folder('cards/home');
  await mkdir(join(home, 'workspace'), { recursive: true });
  return inPage(home, await server.ask('url'), (page) => written(page, session.sizes.words));
}

async function written(page: Page, words: number): Promise<Figure[]> {
  const person = new Person(page);
  await page.setViewportSize(ROOM);
  await person.send('Have three write.');
  for (const name of WRITERS) await person.allow(name);
  // Not as tabs, of which one alone would write on the screen.
  for (const name of WRITERS) await person.card(name).waitFor();
  const work = await Work.of(page);
  await page.evaluate(PACE_PROBE);
  const start = performance.now();
  await page.evaluate(cardProbe(WRITERS, 'completed', PATIENCE_MS));
  const seconds = (performance.now() - start) / 1000;
  const { times, tasks } = await page.evaluate<Pace>(STOP_PACE);
  const { script, style, layout, task } = await work.since();
  const a = (ms: number) => (ms / seconds).toFixed(0);
  const frames = `${times.length} frames in ${seconds.toFixed(1)} s, longest ${Math.max(...times).toFixed(1)} ms`;
  const kinds = `script ${a(script)}, style ${a(style)}, layout ${a(layout)}; whole main thread ${a(task)}, ${(task / times.length).toFixed(1)} ms a frame`;
  const floor = await inCopy(page, 'main', (copy) =>
    copy.evaluate<number[]>(growProbe(WRITERS, words, 1000 / DELTA_MS)),
  );
  const plain = 'floor: as many words at the same pace, without a program';
  return [
    figure({ id: 'cards-rate', ...FIGURES.rate, ours: perSecond(times), floor: perSecond(floor), note: plain }),
    figure({ id: 'cards-p50', ...FIGURES.p50, ours: median(times), floor: median(floor), note: frames }),
    figure({ id: 'cards-p99', ...FIGURES.p99, ours: percentile(times, 0.99), floor: percentile(floor, 0.99) }),
    figure({ id: 'cards-long', ...FIGURES.long, ours: tasks.length, note: tasks.map((ms) => ms.toFixed(0)).join(' ') }),
    figure({ id: 'cards-busy', ...FIGURES.busy, ours: (script + style + layout) / seconds, note: kinds }),
  ];
}
