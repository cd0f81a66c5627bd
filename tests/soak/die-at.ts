/**
 * Kills the process that loads it with SIGKILL at one step of a moment: `node --import die-at.ts`, with `DIE_AT` in the
 * environment. Each operation of the moment has three steps: before it, in the middle of it, and after it while its
 * caller still waits. Appends a letter for each step to a file, so that a program that was not killed shows how many
 * steps there are. Child processes of the program count with it, and a kill in one of them kills the program too.
 */
import fs, { appendFileSync, readSync, statSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
// oxlint-disable-next-line no-restricted-imports -- its queries are steps
import { Surreal } from 'surrealdb';
import { HEADER_BYTES } from '#core/store/journal/journal-format.ts';

/** Where a program of the campaign is killed. */
export type StoreMoment = 'commit' | 'flush' | 'reuse' | 'replay' | 'recovery' | 'purge' | 'backup';

export interface Death {
  moment: StoreMoment;
  /** Step at which the process dies, from 0. */
  step: number;
  /** File that gets a letter of `STAGES` for each step. */
  steps: string;
}

/** First letters of the steps of an operation. */
const STAGES = { before: 'b', during: 'd', after: 'a' } as const;
type Stage = keyof typeof STAGES;
export const STAGE_NAMES = Object.keys(STAGES) as Stage[];

/** Returns the number of steps that a program took, and the stage of the last one; null for none. */
export function readSteps(text: string): { count: number; stage: Stage | null } {
  return { count: text.length, stage: STAGE_NAMES.find((stage) => STAGES[stage] === text.at(-1)) ?? null };
}

/** Something that changes the disk or the database. */
interface Operation {
  kind: 'file' | 'journal' | 'query';
  /** Name of the function; for a query its text. */
  name: string;
  /** First argument of a function of `node:fs/promises`. */
  path?: string;
  /** It belongs to the first record of a generation, in a file with records of another one. */
  isReuse?: boolean;
  /** The transaction of a flush. */
  isFlush?: boolean;
}

interface Moment {
  /** The first operation that counts; every one if it is missing. */
  starts?: (operation: Operation) => boolean;
  /** The first operation that does not count any more. */
  ends?: (operation: Operation) => boolean;
  counts: (operation: Operation) => boolean;
}

const all = () => true;
/** The last query of the opening of a store. */
const isOpened = ({ kind, name }: Operation) => kind === 'query' && name.startsWith('SELECT VALUE id FROM purge');

const MOMENTS: Readonly<Record<StoreMoment, Moment>> = {
  commit: { counts: ({ kind }) => kind === 'journal' },
  flush: { counts: ({ isFlush }) => isFlush === true },
  reuse: { counts: ({ isReuse }) => isReuse === true },
  replay: { starts: ({ path }) => path?.endsWith('a.journal') === true, ends: isOpened, counts: all },
  recovery: { starts: ({ path }) => path?.includes('.recovered-') === true, ends: isOpened, counts: all },
  purge: {
    starts: ({ name, path }) =>
      name.startsWith('INSERT INTO purge') || (name === 'rm' && /\barchive\b/.test(path ?? '')),
    counts: all,
  },
  backup: { starts: ({ path }) => path?.endsWith('.partial') === true, counts: all },
};

/** Before it is replaced below. */
const { writeSync } = fs;
/** Writes to the journals that are open, by file descriptor. */
const journals = new Map<number, (bytes: Buffer, offset: number, length: number, position: number) => number>();

const { DIE_AT = '', DIE_OWNER = String(process.pid) } = process.env;
if (DIE_AT !== '') {
  process.env['DIE_OWNER'] = DIE_OWNER;
  hook(JSON.parse(DIE_AT) as Death);
}

function hook({ moment, step, steps }: Death): void {
  const { starts = all, ends = () => false, counts } = MOMENTS[moment];
  appendFileSync(steps, '');
  const isChild = DIE_OWNER !== String(process.pid);
  /** A child is started in the middle of its moment. */
  let isRunning = isChild && statSync(steps).size > 0;
  let hasEnded = false;
  const die = () => {
    process.kill(Number(DIE_OWNER), 'SIGKILL');
    process.kill(process.pid, 'SIGKILL');
  };
  const isCounted = (operation: Operation): boolean => {
    isRunning ||= starts(operation);
    hasEnded ||= isRunning && !isChild && ends(operation);
    return isRunning && !hasEnded && counts(operation);
  };
  /** Returns whether the process dies at this step. */
  const isLast = (stage: Stage): boolean => {
    const { size } = statSync(steps);
    if (size <= step) appendFileSync(steps, STAGES[stage]);
    return size === step;
  };
  hookFiles({ isCounted, isLast, die });
  hookQueries({ isCounted, isLast, die });
}

interface Hook {
  isCounted: (operation: Operation) => boolean;
  isLast: (stage: Stage) => boolean;
  die: () => void;
}

/** Executes an operation with its three steps. `cut`: its middle, for an operation that one call does at once. */
async function counted<T>({ isLast, die }: Hook, run: () => Promise<T>, cut?: () => void): Promise<T> {
  if (isLast('before')) die();
  const isCut = isLast('during');
  if (isCut && cut) {
    cut();
    die();
  }
  const done = run();
  if (isCut) setImmediate(die);
  const value = await done;
  if (isLast('after')) die();
  return value;
}

/** The same for an operation that blocks the process. */
function countedNow<T>({ isLast, die }: Hook, run: () => T, cut: () => void): T {
  if (isLast('before')) die();
  if (isLast('during')) {
    cut();
    die();
  }
  const value = run();
  if (isLast('after')) die();
  return value;
}

type Work = (...input: never[]) => Promise<unknown>;

function hookFiles(hook: Hook): void {
  for (const name of ['cp', 'mkdir', 'rename', 'rm', 'writeFile', 'open'] as const) {
    const work = files[name] as Work;
    const hooked = async (...input: never[]): Promise<unknown> => {
      const path = String(input[0]);
      const isIt = hook.isCounted({ kind: 'file', name, path });
      const value = await (isIt ? counted(hook, () => work(...input)) : work(...input));
      if (name === 'open' && path.endsWith('.journal')) hookJournal(value as FileHandle, hook);
      return value;
    };
    Object.assign(files, { [name]: hooked });
  }
  const writeHooked = (fd: number, ...input: [Buffer, number, number, number]) =>
    journals.get(fd)?.(...input) ?? writeSync(fd, ...input);
  Object.assign(fs, { writeSync: writeHooked });
  syncBuiltinESMExports();
}

function hookJournal(file: FileHandle, hook: Hook): void {
  const [write, datasync] = [file.write.bind(file), file.datasync.bind(file)];
  const first = Buffer.alloc(1);
  readSync(file.fd, first, 0, 1, HEADER_BYTES);
  let hasRecords = first[0] !== 0;
  let isReuse = false;
  /** Returns whether the write is an operation that counts. */
  const isCounted = (position: number): boolean => {
    isReuse = position === HEADER_BYTES && hasRecords;
    hasRecords ||= position >= HEADER_BYTES;
    return hook.isCounted({ kind: position >= HEADER_BYTES ? 'journal' : 'file', name: 'write', isReuse });
  };
  const writeHooked = async (bytes: Buffer, offset: number, length: number, position: number) => {
    const run = () => write(bytes, offset, length, position);
    if (!isCounted(position)) return run();
    return counted(hook, run, () => void writeSync(file.fd, bytes, offset, Math.floor(length / 2), position));
  };
  journals.set(file.fd, (bytes, offset, length, position) => {
    const run = () => writeSync(file.fd, bytes, offset, length, position);
    if (!isCounted(position)) return run();
    return countedNow(hook, run, () => void writeSync(file.fd, bytes, offset, Math.floor(length / 2), position));
  });
  const datasyncHooked = async () => {
    const isIt = hook.isCounted({ kind: 'journal', name: 'datasync', isReuse });
    await (isIt ? counted(hook, datasync) : datasync());
    isReuse = false;
  };
  Object.assign(file, { write: writeHooked, datasync: datasyncHooked });
}

type Query = (
  this: Surreal,
  sql: string,
  values?: Record<string, unknown>,
) => PromiseLike<unknown> & {
  responses: () => Promise<unknown>;
};

function hookQueries(hook: Hook): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called as it was
  const query: Query = Surreal.prototype.query;
  const hooked: Query = function hookedQuery(sql, values = {}) {
    const name = sql.replace(/^BEGIN;\s*/, '');
    if (!hook.isCounted({ kind: 'query', name, isFlush: 'generation' in values })) return query.call(this, sql, values);
    // The query starts when its caller waits for it.
    let asked: ReturnType<Query> | null = null;
    const ask = () => (asked ??= query.call(this, sql, values));
    return {
      then: (resolve, reject) => counted(hook, async () => ask()).then(resolve, reject),
      responses: () => counted(hook, () => ask().responses()),
    };
  };
  Object.assign(Surreal.prototype, { query: hooked });
}
