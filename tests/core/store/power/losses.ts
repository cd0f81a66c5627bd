/** Builds what losses of power leave of a data folder, and compares what the next start finds with what was promised. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { Random } from '../../../soak/random.ts';
import { TEST_SEED } from '../../../support/samples.ts';
import type { PowerLook } from '../child/power-look.ts';
import { startChild } from '../child/run.ts';
import { Disk, type Operation } from './disk.ts';
import { addLine, type Item, type PromiseLine, type Promises } from './promises.ts';
import type { RecordedOperation } from './record.ts';

export interface Loss {
  folder: string;
  /** Describes the moment for a failed test. */
  name: string;
  promises: [string, Item[]][];
}

/** A number of operations after which the power is lost. */
export interface Moment {
  index: number;
  /** Whether a part of what no sync put on the disk is kept. */
  isPart: boolean;
}

/** Right after so many promises, the last ones included, with all dropped; and by chance, with parts kept. */
export function chooseMoments(
  operations: readonly RecordedOperation[],
  { dropped, parts }: { dropped: number; parts: number },
): Moment[] {
  const random = new Random('moments', TEST_SEED);
  const promised = operations.flatMap((operation, index) => (isPromise(operation) ? [index + 1] : []));
  const [first = 0] = promised;
  const last = promised.splice(-4);
  while (promised.length + last.length > dropped) promised.splice(random.between(0, promised.length - 1), 1);
  const others = Array.from({ length: parts }, () => random.between(first, operations.length));
  return [
    ...[...promised, ...last].map((index) => ({ index, isPart: false })),
    ...others.map((index) => ({ index, isPart: true })),
  ];
}

const isPromise = (operation: RecordedOperation): boolean =>
  operation.kind === 'line' && (JSON.parse(operation.text) as PromiseLine).isDone;

/** Replays the operations on the folder `top` and builds a folder in `base` for each moment. */
export function buildLosses(
  {
    top,
    initial,
    operations,
    before = new Map(),
  }: {
    top: string;
    initial: readonly Operation[];
    operations: readonly RecordedOperation[];
    /** What was promised before the first operation. */
    before?: Promises;
  },
  moments: readonly Moment[],
  base: string,
): Loss[] {
  const disk = new Disk(top, initial);
  const promises = new Map(before);
  const losses: Loss[] = [];
  const build = ({ index, isPart }: Moment): void => {
    const random = isPart ? new Random('power', TEST_SEED, index) : null;
    const name = `power lost before operation ${index} of ${operations.length}, ${isPart ? 'parts kept' : 'all dropped'}`;
    const folder = join(base, String(losses.length));
    disk.build(folder, random);
    addDatabase(operations, index, random, join(folder, 'store'));
    losses.push({ folder, name, promises: [...promises] });
  };
  for (let index = 0; index <= operations.length; index += 1) {
    for (const moment of moments) if (moment.index === index) build(moment);
    const operation = operations[index];
    if (operation?.kind === 'line') addLine(promises, JSON.parse(operation.text) as PromiseLine);
    if (operation && operation.kind !== 'database') disk.apply(operation);
  }
  return losses;
}

/** Puts the engine's files there, where they were copied: as before or as after the transactions that run. */
function addDatabase(
  operations: readonly RecordedOperation[],
  index: number,
  random: Random | null,
  store: string,
): void {
  let copy: string | null = null;
  let running = 0;
  for (const operation of operations.slice(0, index)) {
    if (operation.kind !== 'database') continue;
    running += operation.copy === null ? 1 : -1;
    copy = operation.copy ?? copy;
  }
  const isNext = (operation: RecordedOperation) => operation.kind === 'database' && operation.copy !== null;
  const next = operations.slice(index).find(isNext);
  if (running > 0 && random?.chance(0.5) && next?.kind === 'database') copy = next.copy;
  if (copy === null) return;
  rmSync(store, { recursive: true, force: true });
  cpSync(copy, store, { recursive: true });
}

/** Text of everything in the journal and the archive. */
function readTexts(folder: string): string {
  const files = ['journal', 'archive'].flatMap((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)).map((file) => join(folder, name, file)) : [],
  );
  const texts = files.map((path) => {
    const content = readFileSync(path);
    if (!path.endsWith('.gz') || content.length === 0) return content.toString('latin1');
    return gunzipSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  });
  return texts.join('\n');
}

const INCOMPLETE =
  'The last record of the journal is incomplete: the last event before the program ended may be missing.';

/** Starts a program on each folder: it must have what was promised, nothing else, and it must accept changes. */
export async function expectPromises(losses: readonly Loss[]): Promise<void> {
  for (const { folder, name, promises } of losses)
    if (promises.some(([, items]) => items.length === 1 && items[0] === null))
      expect(readTexts(folder), `${name}: deleted text`).not.toContain('secret');
  const looks = await lookAt(losses.map(({ folder }) => folder));
  for (const [index, { name, promises }] of losses.entries()) {
    const look = looks[index]!;
    expect(look, name).toMatchObject({ notArchived: 0, isWritable: true });
    expect(
      look.warnings.filter((line) => line !== INCOMPLETE),
      name,
    ).toEqual([]);
    for (const [key, items] of promises) expect(items, `${name}: ${key}`).toContainEqual(look.items[key] ?? null);
    const keys = promises.map(([key]) => key);
    expect(
      Object.keys(look.items).filter((key) => !keys.includes(key)),
      name,
    ).toEqual([]);
  }
}

/** In two processes at a time. */
async function lookAt(folders: readonly string[]): Promise<PowerLook[]> {
  const middle = Math.ceil(folders.length / 2);
  const children = [folders.slice(0, middle), folders.slice(middle)].map((some) => startChild('power-look.ts', some));
  await Promise.all(children.map(({ ended }) => ended));
  const lines = children.flatMap((child) => child.lines);
  expect(lines).toHaveLength(folders.length);
  return lines.map((line) => JSON.parse(line) as PowerLook);
}
