/** The verified copy of the store that the owner of a data folder makes once a day. */
import { readFileSync } from 'node:fs';
import { readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Client } from '#contract/rpc.ts';
import { writeAtomically } from '#core/base/atomic-file.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import { loadSettings } from '#core/settings/settings.ts';
import { type Backup, backupsFolder, backupsOf, finishBackup, prune } from '#core/store/backups/backups.ts';

export interface DailyBackupPorts {
  /** Folders of the data and of the settings file. */
  data: string;
  config: string;
  client: Client;
  warn: (line: string) => void;
  /** Aborts when the owner closes. */
  signal: AbortSignal;
  times?: DailyBackupTimes;
  /** Free space that the disk must have after the copy, in bytes. */
  minFreeBytes?: number;
}

/** In milliseconds. */
interface DailyBackupTimes {
  /** Time without a workflow before a backup starts, and between two checks. */
  idle: number;
  /** Age at which the newest backup is too old. */
  age: number;
}

const MINUTE_MS = 60_000;
const TIMES: DailyBackupTimes = { idle: 2 * MINUTE_MS, age: 24 * 60 * MINUTE_MS };
const MIN_FREE_BYTES = 1_000_000_000;
const KEEP = 7;
const STATE_FILE = 'daily.json';

const DailyState = z.object({ at: z.iso.datetime(), fault: z.string().nullable() });
/** The last attempt. `fault`: why it made no backup, as a sentence; null for a success. */
export type DailyBackupState = z.infer<typeof DailyState>;

/** Makes a backup whenever the last one is a day old and no workflow has run for a while. Resolves when it watches. */
export async function keepDailyBackups(ports: DailyBackupPorts): Promise<void> {
  const { client, signal, times = TIMES } = ports;
  let timer: NodeJS.Timeout | null = null;
  let isIdle = false;
  const schedule = (): void => {
    clearTimeout(timer ?? undefined);
    if (!isIdle || signal.aborted) return;
    timer = setTimeout(() => void makeWhenDue(ports).finally(schedule), times.idle).unref();
  };
  const end = await client.subscribe('attention', { canAnswer: false }, ({ running }) => {
    const wasIdle = isIdle;
    isIdle = running.length === 0;
    if (isIdle !== wasIdle) schedule();
  });
  signal.addEventListener('abort', () => {
    clearTimeout(timer ?? undefined);
    end();
  });
}

/** Reports the first failure of a day. */
async function makeWhenDue(ports: DailyBackupPorts): Promise<void> {
  const { data, config, signal, warn, times = TIMES } = ports;
  try {
    if (!(await loadSettings(config)).backups.daily || isRecent(data, times.age)) return;
    const fault = await findShortage(ports);
    if (fault === null) await makeDailyBackup(ports);
    await saveState(data, fault);
  } catch (error) {
    if (signal.aborted) return;
    const { message } = errorInfo(error);
    await saveState(data, message).catch(() => undefined);
    warn(`The daily backup was not made: ${message}`);
  }
}

function isRecent(data: string, age: number): boolean {
  const [newest] = backupsOf(data, 'daily');
  const last = [newest?.madeAt ?? '', readDailyState(data)?.at ?? ''].sort().at(-1) ?? '';
  return last !== '' && Date.now() - Date.parse(last) < age;
}

/** The sentence for a disk with too little room; null if there is enough. */
async function findShortage({ data, minFreeBytes = MIN_FREE_BYTES }: DailyBackupPorts): Promise<string | null> {
  const { bavail, bsize } = await statfs(data);
  const free = bavail * bsize;
  const needed = (await measureFolder(join(data, 'store'))) + minFreeBytes;
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
  if (free >= needed) return null;
  return `The disk of ${data} has too little room for the daily backup: ${megabytes(needed)} MB are needed, ${megabytes(free)} MB are free`;
}

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = names.map(async (name) => (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Rejects with `store_failed` if the copy cannot be read or something is missing in it. */
async function makeDailyBackup({ client, data, signal }: DailyBackupPorts): Promise<Backup> {
  const started = await client.request('backup.begin', {});
  const partial = join(dirname(started.partial), basename(started.partial).replace(/^backup-/, 'daily-'));
  try {
    await rename(started.partial, partial);
    signal.throwIfAborted();
    const backup = await finishBackup(partial, 0);
    if (backup.missing !== null)
      throw new TriadError('store_failed', `the copy is not complete: ${backup.missing} cannot be found or read`);
    await prune(data, backup, 'daily', { keep: KEEP, days: null });
    return backup;
  } finally {
    await rm(started.partial, { recursive: true, force: true });
    await rm(partial, { recursive: true, force: true });
  }
}

async function saveState(data: string, fault: string | null): Promise<void> {
  const state: DailyBackupState = { at: new Date().toISOString(), fault };
  await writeAtomically(join(backupsFolder(data), STATE_FILE), `${JSON.stringify(state)}\n`, { mode: 0o600 });
}

/** The last attempt; null if there was none. */
export function readDailyState(data: string): DailyBackupState | null {
  try {
    return DailyState.parse(JSON.parse(readFileSync(join(backupsFolder(data), STATE_FILE), 'utf8')));
  } catch {
    return null;
  }
}
