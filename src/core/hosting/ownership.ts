/** Ownership of a data folder: one process at a time, claimed before the store is opened, proven by an answered ping. */
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { codeOf, TriadError } from '../base/errors.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { answerPings, answers, type Instance, type PingServer } from './ping-server.ts';

const FILE = 'instance.json';
const CLAIM = `${FILE}.claim-`;
/** An owner that does not answer within this time is asked once more, with patience: its machine may be busy. */
const PING_MS = 500;
const SECOND_PING_MS = 2000;
/** How often an owner looks whether its file still stands. */
const GUARD_MS = 1000;
/** How long to wait for another process that is just taking over. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** What `instance.json` says; only its user may read it, because the token lets its holder in. */
const InstanceFile = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/),
  token: z.string().regex(/^[0-9a-f]{64}$/),
  pid: z.int(),
  startedAt: z.iso.datetime(),
});

/** A file as it was found; one that nobody can have written whole has no instance, and counts as dead. */
interface Found {
  token: string;
  instance: Instance | null;
}

export interface Ownership {
  readonly instance: Instance;
  /** Where other processes ask for a connection; they wait until somebody takes it. */
  readonly onUpgrade: PingServer['onUpgrade'];
  /**
   * From now on the file is put back where it was lost, or left behind by a process that took this one for dead: for
   * an owner that has opened the store, which is the proof of who is right.
   */
  guard(): void;
  /** Gives the folder up: the file is gone and nothing listens any more when it resolves. */
  release(): Promise<void>;
}

/** This process became the owner, or another one is it and lives. */
export type Claim = { kind: 'own'; ownership: Ownership } | { kind: 'found'; owner: Instance };

/** Makes this process the owner of the folder where there is no living one. */
export async function claimOwnership(dataFolder: string, { signal }: { signal: AbortSignal }): Promise<Claim> {
  signal.throwIfAborted();
  const server = await answerPings(randomBytes(32).toString('hex'));
  let owner: Instance | null;
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    owner = await claim(dataFolder, server.instance, signal);
  } catch (error) {
    await server.close();
    throw error instanceof Error && 'syscall' in error ? unwritable(dataFolder, error) : error;
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
    // A folder that cannot be read now may be readable the next time.
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

/** The living owner of the folder, without a wish to become it; null where there is none. */
export async function findOwner(dataFolder: string, signal: AbortSignal): Promise<Instance | null> {
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

/** Null when the folder is ours, otherwise its living owner. */
async function claim(folder: string, own: Instance, signal: AbortSignal): Promise<Instance | null> {
  const path = join(folder, FILE);
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
  const claims = (await readdir(folder)).filter((name) => name.startsWith(CLAIM) && !name.endsWith(own.token));
  await Promise.all(claims.map((name) => rm(join(folder, name), { force: true })));
  return null;
}

/**
 * Takes the place of a dead owner. The right to do so is a second file, named by the token of the one it replaces;
 * where its maker is dead as well, the right to take *that* one's place is the next such file, and so on. Tokens are
 * never used twice, so no process removes a file that a living one relies on, and a dead one blocks nobody.
 */
async function replace(folder: string, stale: Found, own: Instance, signal: AbortSignal): Promise<boolean> {
  let dead = stale;
  for (;;) {
    const path = join(folder, CLAIM + dead.token);
    if (await createExclusively(path, own)) {
      // Somebody may have finished the takeover before this claim was made.
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

/** Makes the file with its whole content at once; false where there is one already. */
async function createExclusively(path: string, content: Instance): Promise<boolean> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  const draft = join(dirname(path), `${FILE}.new-${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await link(draft, path).catch(async (error: unknown) => {
      // Some file systems have no links; there the content comes an instant after the name.
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

function unwritable(folder: string, cause: Error): TriadError {
  const message = `The data folder ${folder} cannot be used (${codeOf(cause) ?? String(cause)}): check its owner, permissions and free space, or set TRIAD_HOME to another folder.`;
  return new TriadError('store_unwritable', message, { cause, detail: cause.message });
}
