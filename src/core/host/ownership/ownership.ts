/** Ownership of a data folder: one process at a time, claimed before the store is opened, proven by an answered ping. */
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { codeOf, TriadError } from '#core/base/errors.ts';
import { refuseWriteFault, createUnwritableFolderError } from '#core/base/write-refusals.ts';
import { SerialQueue } from '#core/base/serial-queue.ts';
import { INSTANCE_FILE as FILE } from '#core/settings/guarded-files.ts';
import { answerPings, answers, type Instance, type PingServer } from './ping-server.ts';

const CLAIM = `${FILE}.claim-`;
/** What is being written, before it gets its name. */
const DRAFT = `${FILE}.new-`;
/** Nobody writes for so long, in milliseconds. */
const DRAFT_MS = 3_600_000;
/** Timeout of the first ping, in milliseconds. The second one is longer: the machine may be busy. */
const PING_MS = 500;
const SECOND_PING_MS = 2000;
/** Interval, in milliseconds, in which an owner checks that its file still exists. */
const GUARD_MS = 1000;
/** Longest wait, in milliseconds, for another process that is taking over. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Content of `instance.json`; readable by its user only, because the token grants access. */
const InstanceFile = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/),
  token: z.string().regex(/^[0-9a-f]{64}$/),
  pid: z.int(),
  startedAt: z.iso.datetime(),
});

/** A claim file as read. An invalid one has no instance and counts as dead. */
interface Found {
  token: string;
  instance: Instance | null;
}

export interface Ownership {
  readonly instance: Instance;
  /** Handler for connection requests of other processes; they wait until one is set. */
  readonly onUpgrade: PingServer['onUpgrade'];
  /**
   * Starts to restore the file if it is removed or replaced by a process that wrongly took this one for dead. Call it
   * after the store was opened, which proves the ownership.
   */
  guard(): void;
  /** Releases the folder; resolves when the file is removed and the server is closed. */
  release(): Promise<void>;
}

/** Either this process became the owner, or another living process is. */
export type Claim = { kind: 'own'; ownership: Ownership } | { kind: 'found'; owner: Instance };

/** Makes this process the owner unless there is a living one. Rejects with `store_locked`, `store_unwritable`, or `not_allowed` where others may write its files. */
export async function claimOwnership(dataFolder: string, { signal }: { signal: AbortSignal }): Promise<Claim> {
  signal.throwIfAborted();
  const server = await answerPings(randomBytes(32).toString('hex'));
  let owner: Instance | null;
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    owner = await claim(dataFolder, server.instance, signal);
  } catch (error) {
    await server.close();
    throw error instanceof Error && 'syscall' in error ? createUnwritableFolderError(dataFolder, error) : error;
  }
  if (owner !== null) {
    await server.close();
    return { kind: 'found', owner };
  }
  return { kind: 'own', ownership: ownershipOf(dataFolder, server) };
}

function ownershipOf(folder: string, server: PingServer): Ownership {
  const { instance, onUpgrade } = server;
  const ended = new AbortController();
  const looks = new SerialQueue();
  const look = () => {
    // Errors are ignored: the next check tries again.
    looks.add(() => restore(folder, instance, ended.signal)).catch(() => undefined);
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    instance,
    onUpgrade,
    guard: () => (timer ??= setInterval(look, GUARD_MS).unref()),
    release: async () => {
      clearInterval(timer);
      ended.abort();
      await looks.settled();
      await release(folder, server);
    },
  };
}

async function restore(folder: string, own: Instance, signal: AbortSignal): Promise<void> {
  const path = join(folder, FILE);
  const found = await read(path);
  if (found?.token === own.token || (await lives(found, signal))) return;
  if (found !== null) await rm(path, { force: true });
  await createExclusively(path, own);
}

/** The living owner of the folder, without claiming it; null if there is none. */
export async function findOwner(dataFolder: string, signal: AbortSignal): Promise<Instance | null> {
  await refuseWriteFault(join(dataFolder, FILE));
  const found = await read(join(dataFolder, FILE));
  return (await lives(found, signal)) ? (found?.instance ?? null) : null;
}

async function release(folder: string, server: PingServer): Promise<void> {
  try {
    const stored = await read(join(folder, FILE));
    if (stored?.token === server.instance.token) await rm(join(folder, FILE), { force: true });
  } finally {
    await server.close();
  }
}

/** Claims the folder. Returns null on success, else the living owner. */
async function claim(folder: string, own: Instance, signal: AbortSignal): Promise<Instance | null> {
  const path = join(folder, FILE);
  // Whoever may write it could lead this process to a server of his own. Also where there is none yet.
  await refuseWriteFault(path);
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    signal.throwIfAborted();
    if (await createExclusively(path, own)) break;
    const found = await read(path);
    if (found?.instance && (await lives(found, signal))) return found.instance;
    if (found && (await replace(folder, found, own, signal))) break;
    if (Date.now() > deadline) throw locked(folder, found);
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  await removeLeft(folder, own);
  return null;
}

/** What processes have left that died while they claimed the folder: their locks, and what they were still writing. */
async function removeLeft(folder: string, own: Instance): Promise<void> {
  const names = await readdir(folder);
  const left = names.filter((name) => name.startsWith(CLAIM) && !name.endsWith(own.token));
  for (const name of names.filter((one) => one.startsWith(DRAFT))) {
    // A younger one may be that of a process that lives.
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > DRAFT_MS) left.push(name);
  }
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

/**
 * Replaces a dead owner. The lock for that is a second file, named after the dead owner's token. If its creator is dead
 * as well, the lock to replace that one is a third file, and so on. Tokens are never reused, so no process removes a
 * file that a living one relies on, and a dead process blocks nobody.
 */
async function replace(folder: string, stale: Found, own: Instance, signal: AbortSignal): Promise<boolean> {
  let dead = stale;
  for (;;) {
    const path = join(folder, CLAIM + dead.token);
    if (await createExclusively(path, own)) {
      // Another process may have finished its takeover before this lock was created.
      const current = await read(join(folder, FILE));
      const mine = current?.token === stale.token;
      if (mine) await rename(path, join(folder, FILE));
      else await rm(path, { force: true });
      return mine;
    }
    const maker = await read(path);
    if (!maker || (await lives(maker, signal))) return false;
    dead = maker;
  }
}

async function lives(found: Found | null, signal: AbortSignal): Promise<boolean> {
  if (!found?.instance) return false;
  const first = await answers(found.instance, PING_MS, signal);
  return first === 'late' ? (await answers(found.instance, SECOND_PING_MS, signal)) === 'yes' : first === 'yes';
}

/** Creates the file atomically with its content; returns false if it exists. */
async function createExclusively(path: string, content: Instance): Promise<boolean> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const draft = join(dirname(path), DRAFT + randomBytes(8).toString('hex'));
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await link(draft, path).catch(async (error: unknown) => {
      // Without hard links, creation is not atomic: the content follows the name.
      if (!NO_LINKS.has(codeOf(error) ?? '')) throw error;
      await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(path: string): Promise<Found | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const instance = parse(text);
  return { instance, token: instance?.token ?? createHash('sha256').update(text).digest('hex') };
}

function parse(text: string): Instance | null {
  try {
    return InstanceFile.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function locked(folder: string, found: Found | null): TriadError {
  const pid = found?.instance ? ` (pid ${found.instance.pid})` : '';
  const message = `Another Triad${pid} takes the data folder ${folder}, but does not come to an end with it: close it, or set TRIAD_HOME to another folder.`;
  return new TriadError('store_locked', message);
}
