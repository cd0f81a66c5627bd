/** The desktop from its launch to its window, over the stand-in for Electron: what of it is ours, on a home with a history. */
import { chromium } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumArgs, wholeChromiumPath } from '../../../e2e/support/chromium.ts';
import { Complaints } from '../../../e2e/support/complaints.ts';
import { ROOT } from '../../../e2e/support/process.ts';
import { standInSurface } from '../../../e2e/support/stand-in-surface.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import type { PageSeedOperations } from '../page-seed-process.ts';
import { whyNoPage } from '../page.ts';
import { Peer } from '../peer.ts';
import type { Session } from '../session.ts';
import { median } from '../statistics.ts';

const PAINTED = 'desktop: launch → first paint';
const LISTED = 'desktop: launch → history listed';

/** In milliseconds since the launch. */
interface Start {
  painted: number;
  /** The store is open, and the conversations are there. */
  listed: number;
}

export async function desktopFigures(session: Session): Promise<Figure[]> {
  const why = whyNoPage() ?? (existsSync(`${ROOT}dist/electron/main.js`) ? null : 'dist/ is missing: npm run build');
  if (why !== null) return [unmeasured('desktop-paint', PAINTED, {}, why), unmeasured('desktop-list', LISTED, {}, why)];
  const home = await session.folder('desktop/home');
  await mkdir(join(home, 'workspace'), { recursive: true });
  const peer = await Peer.start<PageSeedOperations>(join(import.meta.dirname, '../page-seed-process.ts'), [home]);
  await peer.ask('seed', session.sizes.messages);
  await peer.close();
  const starts: Start[] = [];
  // The first one makes the compile cache.
  for (let time = 0; time <= session.sizes.launches; time += 1) starts.push(await started(home));
  const warm = starts.slice(1);
  const middle = (of: keyof Start) => median(warm.map((start) => start[of]));
  const note = `${warm.length} starts, ${session.sizes.messages} messages; the window is drawn by Chromium over the stand-in`;
  return [
    figure({ id: 'desktop-paint', title: PAINTED, unit: 'ms', ours: middle('painted'), note }),
    figure({ id: 'desktop-list', title: LISTED, unit: 'ms', ours: middle('listed') }),
  ];
}

async function started(home: string): Promise<Start> {
  const executablePath = wholeChromiumPath();
  const browser = await chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: chromiumArgs(),
  });
  try {
    const launchedAt = Date.now();
    const surface = await standInSurface(browser)({
      home,
      workspace: join(home, 'workspace'),
      env: { ANTHROPIC_API_KEY: 'bench-key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      complaints: new Complaints(),
      ownProcess: true,
      ownContext: true,
    });
    try {
      await surface.page
        .getByRole('link', { name: /^Question \d/ })
        .first()
        .waitFor();
      const listed = Date.now() - launchedAt;
      const paintedAt = await surface.page.evaluate<number>(
        `performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime`,
      );
      return { painted: paintedAt - launchedAt, listed };
    } finally {
      await surface.close();
    }
  } finally {
    await browser.close();
  }
}
