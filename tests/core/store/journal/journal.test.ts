/** Records that a reader of the journal's files gets after cuts, changed bytes, reuse and erasure. */
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, rm, symlink, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { encodeHeader, encodeRecord, HEADER_BYTES, readRecords } from '#core/store/journal/journal-format.ts';
import { DiskFull } from '#core/store/disk-space.ts';
import { createBlankJournal, getJournalFolder, Journal, openJournal } from '#core/store/journal/journal.ts';
import { testFolder } from '../support.ts';

const storeId = randomUUID();
const HEADER_OF_RECORD = 20;

async function openIn(folder: string, applied = 0, id = storeId) {
  const opened = await openJournal(folder, { storeId: id, applied });
  onTestFinished(() => opened.journal.close());
  return { ...opened, texts: opened.records.map(({ payload }) => payload.toString()) };
}

const append = async (journal: Journal, ...texts: string[]): Promise<void> => {
  for (const text of texts) await journal.append(Buffer.from(text));
};

async function written(...texts: string[]): Promise<{ folder: string; file: string }> {
  const folder = join(await testFolder(), 'journal');
  const { journal } = await openIn(folder);
  await append(journal, ...texts);
  await journal.close();
  return { folder, file: join(folder, 'b.journal') };
}

describe('the journal', () => {
  test('returns the appended records in order, across two generations', async () => {
    const folder = join(await testFolder(), 'journal');
    const { journal } = await openIn(folder);
    await append(journal, 'one', 'two');
    journal.startGeneration();
    await append(journal, 'three');
    await journal.close();
    const { texts, damage, records } = await openIn(folder);
    expect({ texts, damage }).toEqual({ texts: ['one', 'two', 'three'], damage: null });
    expect(records.map(({ generation, number }) => [generation, number])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
    ]);
  });

  test('returns no record of an applied generation, even after its file is reused', async () => {
    const folder = join(await testFolder(), 'journal');
    const { journal } = await openIn(folder);
    await append(journal, 'first generation', 'that is longer than the third');
    journal.startGeneration();
    await append(journal, 'second');
    journal.startGeneration();
    await append(journal, 'third');
    await journal.close();
    expect((await openIn(folder, 1)).texts).toEqual(['second', 'third']);
    expect((await openIn(folder, 2)).texts).toEqual(['third']);
    expect(await openIn(folder, 3)).toMatchObject({ texts: [], damage: null });
  });

  test('starts a new generation after the newest returned generation', async () => {
    const { folder } = await written('one');
    const { journal } = await openIn(folder);
    expect(journal.generation).toBe(2);
    await append(journal, 'two');
    await journal.close();
    expect((await openIn(folder, 1)).texts).toEqual(['two']);
  });

  test('reports flushes that the database lost', async () => {
    const folder = join(await testFolder(), 'journal');
    const { journal } = await openIn(folder);
    for (const text of ['1', '2', '3', '4', '5']) {
      await append(journal, text);
      journal.startGeneration();
    }
    await journal.close();
    expect(await openIn(folder, 3)).toMatchObject({ texts: ['4', '5'], damage: null });
    expect(await openIn(folder, 1)).toMatchObject({ texts: ['4', '5'], damage: 'database' });
  });

  test.for([
    ['a deleted folder', (folder: string) => rm(folder, { recursive: true })],
    ['a deleted file', (folder: string) => rm(join(folder, 'a.journal'))],
    ['a truncated file', (folder: string) => truncate(join(folder, 'b.journal'), 100)],
  ] as const)('reports %s of a flushed store', async ([, destroy]) => {
    const { folder } = await written('one');
    await destroy(folder);
    expect(await openIn(folder, 1)).toMatchObject({ texts: [], damage: 'missing' });
    // The files are whole again.
    expect(await openIn(folder, 1)).toMatchObject({ texts: [], damage: null });
  });

  test.for([
    ['its folder is a file', 'EEXIST', async (folder: string) => writeFileSync(folder, '')],
    [
      'its file is a link',
      'ELOOP',
      async (folder: string) => {
        await mkdir(folder);
        await symlink(join(folder, 'elsewhere'), join(folder, 'a.journal'));
      },
    ],
  ] as const)('names its folder in the error if %s', async ([, code, prepare]) => {
    const folder = join(await testFolder(), 'journal');
    await prepare(folder);
    const message = `The folder ${folder} cannot be written (${code}): check its owner and permissions, or set TRIAD_HOME to another folder.`;
    await expect(openIn(folder)).rejects.toMatchObject({ code: 'store_unwritable', message });
  });

  test('reports no damage for a store that was copied without a journal', async () => {
    const folder = join(await testFolder(), 'journal');
    await createBlankJournal(folder);
    expect(await openIn(folder, 7)).toMatchObject({ texts: [], damage: null, setAside: null });
  });

  test('creates private, preallocated files', async () => {
    const { folder, file } = await written('one');
    expect(await readdir(folder)).toEqual(['a.journal', 'b.journal']);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(statSync(file).size).toBe(4 * 1024 * 1024);
  });

  test('sets the journal of another store aside and starts an empty one', async () => {
    const { folder } = await written('of another store');
    const { texts, setAside, journal } = await openIn(folder, 0, randomUUID());
    expect(texts).toEqual([]);
    await journal.close();
    expect(readFileSync(join(String(setAside), 'b.journal'), 'latin1')).toContain('of another store');
    expect(dirname(String(setAside))).toBe(dirname(folder));
  });

  test('contains no text after it is erased, and accepts records', async () => {
    const folder = join(await testFolder(), 'journal');
    const { journal } = await openIn(folder);
    await append(journal, 'secret', 'x'.repeat(5_000_000));
    journal.startGeneration();
    await append(journal, 'secret');
    await journal.erase();
    for (const name of ['a.journal', 'b.journal']) {
      const content = readFileSync(join(folder, name));
      expect(content.length).toBe(4 * 1024 * 1024);
      expect(content.subarray(HEADER_BYTES).equals(Buffer.alloc(content.length - HEADER_BYTES))).toBe(true);
    }
    await append(journal, 'after');
    await journal.close();
    expect(await openIn(folder, 2)).toMatchObject({ texts: ['after'], damage: null });
  });

  test('is full above 16 MB until the next generation starts', async () => {
    const folder = join(await testFolder(), 'journal');
    const { journal } = await openIn(folder);
    await journal.append(Buffer.alloc(16 * 1024 * 1024, ' '));
    expect(journal.isFull).toBe(true);
    journal.startGeneration();
    expect(journal.isFull).toBe(false);
    await journal.close();
    expect((await openIn(folder)).records).toHaveLength(1);
  });

  test('appends a record again after a full disk, over the part that was written', async () => {
    const folder = join(await testFolder(), 'journal');
    await (await openIn(folder)).journal.close();
    const file = await open(join(folder, 'b.journal'), 'r+');
    onTestFinished(() => file.close());
    const journal = new Journal(folder, [file, file], 1);
    const full = vi.spyOn(file, 'write').mockImplementationOnce(async () => {
      full.mockRestore();
      await file.write(Buffer.from('half'), 0, 4, HEADER_BYTES);
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    });
    await expect(append(journal, 'a long record')).rejects.toThrow(DiskFull);
    await append(journal, 'short', 'next');
    expect(await openIn(folder)).toMatchObject({ texts: ['short', 'next'], damage: null });
  });

  test('rejects every record after a failed sync', async () => {
    const folder = join(await testFolder(), 'journal');
    await (await openIn(folder)).journal.close();
    const file = await open(join(folder, 'b.journal'), 'r+');
    onTestFinished(() => file.close());
    const journal = new Journal(folder, [file, file], 1);
    vi.spyOn(file, 'datasync').mockRejectedValueOnce(Object.assign(new Error('i/o error'), { code: 'ENOSPC' }));
    await expect(append(journal, 'one')).rejects.toThrow('i/o error');
    await expect(append(journal, 'two')).rejects.toThrow('i/o error');
  });

  test('is next to the store in a data folder, and inside the folder of any other store', () => {
    expect(getJournalFolder('/data/store')).toBe('/data/journal');
    expect(getJournalFolder('/data/store.check')).toBe('/data/store.check/journal');
  });
});

describe('the last two records of the journal', () => {
  const texts = ['first', 'the second record', 'the third record'];
  const lengths = texts.map((text) => HEADER_OF_RECORD + text.length);
  const starts = [HEADER_BYTES, HEADER_BYTES + lengths[0]!, HEADER_BYTES + lengths[0]! + lengths[1]!];
  const end = starts[2]! + lengths[2]!;

  const file = Buffer.alloc(4096);
  encodeHeader(storeId).copy(file);
  texts.reduce(
    ({ at, previousCrc }, text, number) => {
      const { bytes, crc } = encodeRecord({ generation: 3, number, previousCrc }, Buffer.from(text));
      bytes.copy(file, at);
      return { at: at + bytes.length, previousCrc: crc };
    },
    { at: HEADER_BYTES, previousCrc: 0 },
  );
  const readTexts = (bytes: Buffer) => {
    const { records, ...rest } = readRecords(bytes, 2);
    return { ...rest, texts: records.map(({ payload }) => payload.toString()) };
  };

  test('return all records before a cut at any byte', () => {
    for (let at = starts[1]!; at < end; at += 1) {
      const cut = Buffer.from(file).fill(0, at);
      const { texts: found, isDamaged } = readTexts(cut);
      expect(found, `cut at ${at}`).toEqual(at < starts[2]! ? ['first'] : texts.slice(0, 2));
      expect(isDamaged, `cut at ${at}`).toBe(false);
    }
  });

  test('report a changed bit at any position and return the other records', () => {
    for (let bit = starts[1]! * 8; bit < end * 8; bit += 1) {
      const at = Math.floor(bit / 8);
      const changed = Buffer.from(file);
      changed[at]! ^= 1 << (bit % 8);
      const isLast = at >= starts[2]!;
      expect(readTexts(changed), `changed bit ${bit}`).toEqual({
        texts: isLast ? texts.slice(0, 2) : ['first', texts[2]],
        isDamaged: !isLast,
        isLastRecordCut: true,
      });
    }
  });

  test('name the damaged part of the journal file when the journal is opened', async () => {
    const { folder, file: path } = await written(...texts);
    const whole = readFileSync(path);
    for (const [at, damage] of [
      [starts[1]! + 30, 'record'],
      [starts[2]! + 30, 'end'],
    ] as const) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      writeFileSync(path, changed);
      expect(await openIn(folder)).toMatchObject({ damage });
    }
  });

  test('are returned despite a changed file header, which is reported', async () => {
    const { folder, file } = await written(...texts);
    const changed = readFileSync(file);
    changed[12]! ^= 4;
    writeFileSync(file, changed);
    expect(await openIn(folder)).toMatchObject({ texts, damage: 'record' });
  });
});
