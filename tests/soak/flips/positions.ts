/** Positions of flipped bits in a store: spread over the kinds of its files, and within a kind by size. */
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../random.ts';

/** Kinds of files of the engine. Each one of another kind (`LOG`, `IDENTITY`, `LOCK`) has no data. */
const KINDS = ['.sst', '.blob', '.log', 'MANIFEST', 'CURRENT', 'OPTIONS'] as const;
export type FileKind = (typeof KINDS)[number];

export interface BitPosition {
  kind: FileKind;
  /** Name in the store's folder. */
  file: string;
  offset: number;
  /** 0 to 7. */
  bit: number;
}

/** Of 10 positions. Data files have the most; every kind has at least one where there are enough positions. */
const ORDER: readonly FileKind[] = [
  '.sst',
  'MANIFEST',
  '.blob',
  '.log',
  'CURRENT',
  '.sst',
  '.sst',
  '.blob',
  'OPTIONS',
  '.sst',
];

/** Chooses `count` positions in the files of a store's folder. */
export async function choosePositions(
  folder: string,
  count: number,
  { random, kinds = ORDER }: { random: Random; kinds?: readonly FileKind[] | undefined },
): Promise<BitPosition[]> {
  const files = await listFiles(folder);
  return Array.from({ length: count }, (_, index) => {
    const wanted = kinds[index % kinds.length] ?? '.sst';
    const ofKind = files.filter(({ kind }) => kind === wanted);
    const candidates = ofKind.length > 0 ? ofKind : files.filter(({ kind }) => kind === '.sst');
    let at = Math.floor(random.next() * candidates.reduce((sum, { bytes }) => sum + bytes, 0));
    const { kind, file } =
      candidates.find(({ bytes }) => {
        const isHere = at < bytes;
        if (!isHere) at -= bytes;
        return isHere;
      }) ?? candidates[0]!;
    return { kind, file, offset: at, bit: random.between(0, 7) };
  });
}

/** Files with content, in the order of their names. */
async function listFiles(folder: string): Promise<{ kind: FileKind; file: string; bytes: number }[]> {
  const names = (await readdir(folder)).sort();
  const files = names.map(async (file) => {
    const kind = KINDS.find((one) => (one.startsWith('.') ? file.endsWith(one) : file.startsWith(one)));
    const bytes = (await stat(join(folder, file))).size;
    return kind === undefined || bytes === 0 ? [] : [{ kind, file, bytes }];
  });
  return (await Promise.all(files)).flat();
}

export async function flipBit(folder: string, { file, offset, bit }: BitPosition): Promise<void> {
  const handle = await open(join(folder, file), 'r+');
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, offset);
    byte[0] = (byte[0] ?? 0) ^ (1 << bit);
    await handle.write(byte, 0, 1, offset);
  } finally {
    await handle.close();
  }
}

/** Damages the store in a folder so that no start can open it: removes it or a part of it, or flips a bit in a list. */
export async function damageStore(folder: string, random: Random): Promise<string> {
  const kind = random.pick(['folder', 'CURRENT', 'MANIFEST'] as const);
  if (kind === 'folder') await rm(folder, { recursive: true });
  else if (kind === 'CURRENT') await rm(join(folder, kind));
  else
    for (const position of await choosePositions(folder, 1, { random, kinds: [kind] })) await flipBit(folder, position);
  return kind;
}
