/**
 * Child process: `seed FOLDER SESSIONS` fills a new store and prints its history; `use HISTORY FOLDER…` opens each
 * of these stores, adds a workflow and prints a line with what happened.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalHash } from '#core/base/hash.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import type { Paged, Store } from '#core/store/store.ts';
import { openStore } from '#core/store/surreal.ts';
import { Seeder } from '../../bench/seed.ts';
import type { FlipUse, StoreHistory } from './flips.ts';

const [task = '', ...rest] = process.argv.slice(2);
/** Resolves when all of it is written. The pipe to the parent takes about 146 KB at once. */
const print = (value: unknown): Promise<void> =>
  new Promise((resolve) => void process.stdout.write(`${JSON.stringify(value)}\n`, () => resolve()));

/** Sessions for each one with a large text, which the engine stores in a `.blob` file, and with many entries. */
const SESSIONS_PER_LONG = 12;
/** Time in which the engine meets a damaged block while it merges files, in milliseconds. */
const COMPACTION_MS = 250;
const LIMIT = 200;
/** More events than any conversation here has. */
const MAX_SEQ = 1e6;

/** Opens a store as a host does; without an archive if `NO_ARCHIVE` is beside it. */
function openArchived(folder: string): Promise<Store> {
  const data = dirname(folder);
  const archive = existsSync(join(data, 'NO_ARCHIVE')) ? undefined : join(data, 'archive');
  return openStore({ url: `rocksdb://${folder}`, archive });
}

async function seed(folder: string, sessions: number): Promise<void> {
  const store = await openArchived(folder);
  const seeder = new Seeder(store, '/home/ada');
  const long = Math.ceil(sessions / SESSIONS_PER_LONG);
  for (let index = 0; index < long; index += 1) {
    await seeder.workflows(Math.floor((sessions - long) / long), 1);
    await seeder.long(60, randomBytes(10_000).toString('hex'));
  }
  await store.settled();
  const history: StoreHistory = {};
  for (const id of await store.conversationIds()) history[id] = await hashEvents(store, id);
  await store.close();
  await print(history);
}

async function hashEvents(store: Store, conversationId: string): Promise<StoreHistory[string]> {
  const events = await store.events(conversationId, 1, MAX_SEQ);
  return { events: events.length, hash: canonicalHash(events) };
}

/** Opens a store, reads its lists and every item in them, and runs a workflow. */
async function use(folder: string, history: StoreHistory): Promise<FlipUse> {
  const used: FlipUse = { steps: {}, lost: 0, altered: 0, listed: {}, unlisted: null, died: null };
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      const { code, message } = errorInfo(error);
      used.steps[name] = { code, message, detail: error instanceof TriadError ? (error.detail ?? null) : null };
      return null;
    }
  };
  const store = await step('open', () => openArchived(folder));
  if (store === null) return used;
  await step('write', () => new Seeder(store, '/home/ada').workflows(1, 1));
  for (const [id, { events, hash }] of Object.entries(history)) {
    const found = await step('read', () => hashEvents(store, id));
    if (found === null || found.events < events) used.lost += events - (found?.events ?? 0);
    else if (found.hash !== hash) used.altered += 1;
  }
  const lists: Record<string, (before?: string) => Promise<Paged<unknown>>> = {
    conversations: (before) => store.conversations({ before, limit: LIMIT }),
    workflows: (before) => store.workflows({ before, limit: LIMIT }),
    executions: (before) => store.executions({ before, limit: LIMIT }),
    search: (before) => store.search({ text: 'what part', before, limit: LIMIT }),
    approvals: async () => ({ items: await store.openApprovals(), next: null }),
  };
  for (const [name, list] of Object.entries(lists)) {
    used.listed[name] = 0;
    for (let before: string | null | undefined; before !== null;) {
      const page: Paged<unknown> | null = await step(name, () => list(before ?? undefined));
      used.listed[name] += page?.items.length ?? 0;
      before = page?.next ?? null;
    }
  }
  used.unlisted = await step('unlisted', () => store.unlisted());
  await step('index', () => store.settled());
  await sleep(COMPACTION_MS);
  await step('write again', () => new Seeder(store, '/home/ada').workflows(1, 1));
  await step('close', () => store.close());
  return used;
}

if (task === 'seed') await seed(rest[0] ?? '', Number(rest[1]));
else {
  const [file = '', ...folders] = rest;
  const history = JSON.parse(await readFile(file, 'utf8')) as StoreHistory;
  for (const folder of folders) await print(await use(folder, history));
}
process.exit(0);
