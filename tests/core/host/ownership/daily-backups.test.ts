/** Daily backups of a real store: made while nothing runs, verified, and at most seven. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '#contract/rpc.ts';
import type { Attention } from '#contract/view.ts';
import { keepDailyBackups, readDailyState } from '#core/host/ownership/daily-backups.ts';
import { backupsOf } from '#core/store/backups/backups.ts';
import type { Harness } from '../../../support/engine.ts';
import { folderWith } from '../../../support/workspace.ts';
import { storeAt } from '../../../support/stores/on-disk.ts';
import { Seeder } from '../../../bench/seed.ts';

const TIMES = { idle: 10, age: 3_600_000 };
const SETTLED = { timeout: 30_000 };

/** A client that only begins backups and reports work. `work` sets the number of running workflows. */
function clientOf(store: Harness['store']): { client: Client; work: (count: number) => void } {
  let listener: (event: Attention) => void = () => undefined;
  const work = (count: number): void => listener({ running: Array.from({ length: count }, () => ({})) } as Attention);
  const client = {
    request: async () => ({ partial: await store.beginBackup(), keep: 1, maxAgeDays: null }),
    subscribe: (_topic: string, _input: unknown, heard: typeof listener) => {
      listener = heard;
      work(0);
      return Promise.resolve(() => undefined);
    },
  };
  return { client: client as unknown as Client, work };
}

async function opened(settings = '') {
  const data = await folderWith({ 'config.toml': settings });
  const store = await storeAt(join(data, 'store'));
  await new Seeder(store, data).workflows(2, 1);
  const closed = new AbortController();
  onTestFinished(async () => {
    closed.abort();
    await store.close();
    await rm(data, { recursive: true, force: true });
  });
  const warnings: string[] = [];
  const { client, work } = clientOf(store);
  const ports = { data, config: data, client, warn: (line: string) => warnings.push(line), signal: closed.signal };
  return { ports: { ...ports, times: TIMES }, data, store, work, warnings };
}

test('a verified backup is made once a day while no workflow runs', async () => {
  const { ports, data, work, warnings } = await opened();
  const { client } = ports;
  await keepDailyBackups({
    ...ports,
    client: {
      ...client,
      subscribe: async (...args: Parameters<Client['subscribe']>) => {
        const end = await client.subscribe(...args);
        work(1);
        return end;
      },
    } as Client,
  });
  await new Promise((resolve) => setTimeout(resolve, 20 * TIMES.idle));
  expect(existsSync(join(data, 'backups'))).toBe(false);
  work(0);
  await expect.poll(() => readDailyState(data), SETTLED).toEqual({ at: expect.any(String) as string, fault: null });
  const [made] = backupsOf(data, 'daily');
  expect(made).toMatchObject({ missing: null, holds: { conversations: 2, workflows: 2 } });
  await new Promise((resolve) => setTimeout(resolve, 20 * TIMES.idle));
  expect(backupsOf(data)).toEqual([made]);
  expect(warnings).toEqual([]);
});

test('seven daily backups are kept, and other backups are not removed for them', async () => {
  const { ports, data } = await opened();
  const manifest = { format: 1, schema: 1, holds: { conversations: 1, workflows: 1, events: 1 }, bytes: 1, sha256: {} };
  for (const kind of ['daily', 'backup', 'upgrade'])
    for (let day = 1; day <= 9; day += 1) {
      const folder = join(data, 'backups', `${kind}-2026010${day}`);
      await mkdir(folder, { recursive: true });
      const text = JSON.stringify({ ...manifest, madeAt: `2026-01-0${day}T00:00:00.000Z` });
      await writeFile(join(folder, 'manifest.json'), text);
    }
  await keepDailyBackups(ports);
  await expect.poll(() => readDailyState(data), SETTLED).not.toBeNull();
  const count = async (kind: string) =>
    (await readdir(join(data, 'backups'))).filter((name) => name.startsWith(`${kind}-`)).length;
  expect([await count('daily'), await count('backup'), await count('upgrade')]).toEqual([7, 9, 9]);
});

test('no daily backup is made on a disk with little room, and the reason is stored', async () => {
  const { ports, data, warnings } = await opened();
  await mkdir(join(data, 'backups'), { recursive: true });
  await keepDailyBackups({ ...ports, minFreeBytes: Number.MAX_SAFE_INTEGER });
  await expect
    .poll(() => readDailyState(data)?.fault, SETTLED)
    .toMatch(/^The disk of .* has too little room for the daily backup: \d+ MB are needed, \d+ MB are free$/);
  expect([backupsOf(data), warnings]).toEqual([[], []]);
});

test('a copy that cannot be read is reported once and leaves no backup', async () => {
  const { ports, data, store, warnings } = await opened();
  const broken: Harness['store']['beginBackup'] = async () => {
    const partial = await store.beginBackup();
    await writeFile(join(partial, 'store/CURRENT'), 'garbage');
    return partial;
  };
  const { client } = clientOf({ ...store, beginBackup: broken });
  await keepDailyBackups({ ...ports, client });
  await expect
    .poll(() => warnings, SETTLED)
    .toEqual([expect.stringMatching(/^The daily backup was not made: .*CURRENT/) as string]);
  expect(await readdir(join(data, 'backups'))).toEqual(['daily.json']);
  expect(JSON.parse(await readFile(join(data, 'backups/daily.json'), 'utf8'))).toMatchObject({
    fault: expect.stringContaining('CURRENT') as string,
  });
});
