/** `npm run bench -- [--quick] [--history] [--growth] [--only GROUP,…] [--json FILE] [--profile FOLDER] [--reference]`: this project beside its floor. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, unmeasured } from './figure.ts';
import { compareWithReference, createReference, type Reference } from './reference.ts';
import { cardFigures } from './figures/cards.ts';
import { conversationFigures } from './figures/conversation.ts';
import { creationFigures } from './figures/creation.ts';
import { desktopFigures } from './figures/desktop.ts';
import { floodFigures } from './figures/flood.ts';
import { growthFigures } from './figures/growth.ts';
import { historyFigures } from './figures/history.ts';
import { launchFigures } from './figures/launch.ts';
import { pageFigures } from './figures/page.ts';
import { recoveryFigures } from './figures/recovery.ts';
import { searchFigures } from './figures/search.ts';
import { snapshotFigures } from './figures/snapshots.ts';
import { stopFigures } from './figures/stop.ts';
import { storedFigures } from './figures/stored.ts';
import { streamFigures } from './figures/streams.ts';
import { realisticFigures, workflowFigures } from './figures/workflow.ts';
import { Session, type Sizes } from './session.ts';
import { tableOf } from './table.ts';

const FULL: Sizes = {
  warmUps: 20,
  runs: 15,
  realisticWarmUps: 1,
  realisticRuns: 7,
  stops: 7,
  batch: 100,
  batches: 10,
  creations: 5000,
  flood: 3000,
  burst: 20_000,
  paced: 3000,
  pacedRuns: 7,
  launches: 7,
  history: 10_000,
  events: 10_000,
  messages: 10_000,
  scrolls: 7,
  words: 3000,
  talk: 1000,
  conversation: 1000,
  searched: 50_000,
  searches: 7,
  patienceMs: 70_000,
};
const QUICK: Sizes = {
  warmUps: 3,
  runs: 3,
  realisticWarmUps: 0,
  realisticRuns: 1,
  stops: 1,
  batch: 10,
  batches: 3,
  creations: 500,
  flood: 300,
  burst: 2000,
  paced: 400,
  pacedRuns: 3,
  launches: 1,
  history: 200,
  events: 500,
  messages: 300,
  scrolls: 1,
  words: 1000,
  talk: 100,
  conversation: 100,
  searched: 5000,
  searches: 3,
  patienceMs: 70_000,
};
const GROUPS: Readonly<Record<string, (session: Session) => Promise<Figure[]>>> = {
  workflow: workflowFigures,
  realistic: realisticFigures,
  creation: creationFigures,
  growth: growthFigures,
  conversation: conversationFigures,
  flood: floodFigures,
  stored: storedFigures,
  recovery: recoveryFigures,
  streams: streamFigures,
  launch: launchFigures,
  desktop: desktopFigures,
  stop: stopFigures,
  history: historyFigures,
  page: pageFigures,
  cards: cardFigures,
  search: searchFigures,
  snapshots: snapshotFigures,
};
/** Processes that already ran or waited to run. */
const BUSY_LOAD = 0.7;
const REFERENCE = join(import.meta.dirname, 'reference.json');
const RESULTS = join(import.meta.dirname, '../../test-results/bench.json');

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    only: { type: 'string' },
    json: { type: 'string' },
    profile: { type: 'string' },
    /** Makes these figures the reference. */
    reference: { type: 'boolean', default: false },
  },
});
const sizes = {
  ...(values.quick ? QUICK : FULL),
  ...(values.history ? { history: 100_000, conversation: 10_000 } : {}),
  // All of them, however long they take.
  ...(values.growth ? { batch: 100, batches: 10, patienceMs: 3_600_000 } : {}),
};
const names = values.only?.split(',') ?? Object.keys(GROUPS);
const loadBefore = loadavg()[0] ?? 0;
const session = await Session.start(sizes, values.profile === undefined ? null : resolve(values.profile));
const figures: Figure[] = [];
try {
  for (const name of names) figures.push(...(await measure(name)));
} finally {
  await session.end();
}
console.log(tableOf(figures));
if (loadBefore > BUSY_LOAD)
  console.log(
    `\nThe machine was busy before (load ${loadBefore.toFixed(1)}): times and ratios are worse than on an idle one.`,
  );
await report(figures);
const reference = JSON.parse(await readFile(REFERENCE, 'utf8')) as Reference;
for (const line of compareWithReference(figures, reference)) console.log(`warning: ${line}`);
if (values.reference) await writeFile(REFERENCE, `${JSON.stringify(createReference(figures, reference), null, 2)}\n`);

/** A group that fails says why, makes the exit code 1, and does not keep the others from being measured. */
async function measure(name: string): Promise<Figure[]> {
  const group = GROUPS[name];
  if (!group) return [unmeasured(name, name, {}, `there is no such group: ${Object.keys(GROUPS).join(', ')}`)];
  const start = performance.now();
  try {
    return await group(session);
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    console.error(error);
    process.exitCode = 1;
    return [unmeasured(name, name, {}, line)];
  } finally {
    await session.closeAll();
    console.error(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}

async function report(measured: readonly Figure[]): Promise<void> {
  const [processor] = cpus();
  const machine = {
    node: process.version,
    platform: process.platform,
    cpus: cpus().length,
    loadBefore,
    processor: processor?.model ?? '',
    memoryMb: Math.round(totalmem() / 2 ** 20),
  };
  const text = JSON.stringify({ at: new Date().toISOString(), machine, sizes, figures: measured }, null, 2);
  for (const file of [RESULTS, ...(values.json === undefined ? [] : [resolve(values.json)])]) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n`);
  }
}
