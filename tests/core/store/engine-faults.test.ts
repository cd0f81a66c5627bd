/** Messages of the engine and of the system, recorded from real stores, and the errors that they are mapped to. */
import { expect, test } from 'vitest';
import { classifyStoreFault, mapStoreFault, StoreDamaged } from '#core/store/faults.ts';

const IN_TRANSACTION = 'There was a problem with a transaction: ';
const IN_STORE = `There was a problem with the key-value store: ${IN_TRANSACTION}`;

/** Each was produced by flipping a bit in a file of a store, cutting it or removing it. */
const DAMAGES = [
  // Blocks, index, properties and footer of a table file.
  `${IN_TRANSACTION}Corruption: block checksum mismatch: stored(context removed) = 1421387635, computed = 1514004521, type = 4  in /d/store/000011.sst offset 48572 size 15941`,
  `${IN_STORE}Corruption: block checksum mismatch: stored(context removed) = 1, computed = 2, type = 4  in /d/store/000013.sst offset 51462 size 1062`,
  `${IN_TRANSACTION}Corruption: block checksum mismatch: stored(context removed) = 599243970, computed = 3401883493, type = 4  in /d/store/000018.sst offset 51462 size 1062  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_TRANSACTION}Corruption: Corrupt or unsupported checksum type: 6 in /d/store/000018.sst  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_STORE}Corruption: Footer at 14813 checksum mismatch in /d/store/000011.sst`,
  `${IN_TRANSACTION}Corruption: Bad table magic number: expected 9863518390377041911, found 10007633578452897783 in /d/store/000018.sst  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_TRANSACTION}Corruption: Sst file size mismatch between expected 52695 and file system 5000 sstable: /d/store/000018.sst  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_TRANSACTION}Corruption: Corruption: IO error: No such file or directory: While open a file for random read: /d/store/000011.sst: No such file or directory  The file /d/store/MANIFEST-000005 may be corrupted.`,
  // Large values.
  `${IN_TRANSACTION}Corruption: Blob CRC mismatch`,
  `${IN_STORE}Corruption: Blob CRC mismatch`,
  `Query not executed: ${IN_TRANSACTION}Corruption: Error while decoding blob record: Header CRC mismatch`,
  `${IN_TRANSACTION}Corruption: Error while decoding blob log header: Magic number mismatch`,
  `${IN_TRANSACTION}Corruption: Error while decoding blob log footer: CRC mismatch`,
  `${IN_TRANSACTION}IO error: No such file or directory: while stat a file for size: /d/store/000010.blob: No such file or directory`,
  // The list of files, and the file that names it.
  `${IN_TRANSACTION}Corruption: checksum mismatch  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_TRANSACTION}Corruption: no log_file_number, next_file_number, last_sequence entry in MANIFEST  The file /d/store/MANIFEST-000005 may be corrupted.`,
  `${IN_TRANSACTION}IO error: No such file or directory: While opening a file for sequentially reading: /d/store/MANIFEST-004005: No such file or directory`,
  `${IN_TRANSACTION}Corruption: CURRENT file corrupted`,
  `${IN_TRANSACTION}Corruption: CURRENT file does not end with newline`,
  `${IN_TRANSACTION}Corruption: While creating a new Db, wal_dir contains existing log file: : 000008.log`,
  // A disk that cannot read a sector.
  `${IN_TRANSACTION}IO error: While pread offset 0 len 16384: /d/store/000011.sst: Input/output error`,
  // Definitions of the schema in a damaged block.
  "Found field 'json', but no such field exists for table 'conversation'",
  "The table 'workflow' does not exist",
];

const SYSTEM = {
  locked: [
    `${IN_TRANSACTION}IO error: While lock file: /d/store/LOCK: Resource temporarily unavailable`,
    `${IN_TRANSACTION}IO error: lock hold by current process, acquire time 1795974969 acquiring thread 3840: /d/store/LOCK: No locks available`,
  ],
  ENOSPC: [
    `${IN_TRANSACTION}IO error: No space left on device: While appending to file: /d/store/000037.blob: No space left on device`,
  ],
  EDQUOT: [`${IN_TRANSACTION}IO error: While appending to file: /d/store/000037.sst: Disk quota exceeded`],
  EROFS: [
    `${IN_TRANSACTION}IO error: While renaming a file to /d/store/LOG.old.1795975045291941: /d/store/LOG: Read-only file system`,
  ],
  EACCES: [
    `${IN_TRANSACTION}IO error: While renaming a file to /d/store/LOG.old.1795975067649169: /d/store/LOG: Permission denied`,
    `${IN_TRANSACTION}IO error: While open a file for appending: /d/store/LOG: Permission denied`,
  ],
  EMFILE: [
    `${IN_TRANSACTION}IO error: While open a file for random read: /d/store/000033.sst: Too many open files`,
    `${IN_TRANSACTION}Corruption: IO error: While open a file for random read: /d/store/000033.sst: Too many open files  The file /d/store/MANIFEST-000005 may be corrupted.`,
  ],
  ENOMEM: [`${IN_TRANSACTION}IO error: While mmap /d/store/000033.sst: Cannot allocate memory`],
} as const;

/** Messages that are neither: an error of a statement that contains text of a row, and the error of a new store. */
const OTHERS = [
  "Couldn't coerce value for field `title` of `conversation:a`: Expected `string` but found `Corruption: checksum mismatch`",
  "Found 'IO error: No space left on device' for field `text`, with record `memory:a`, but field must conform to: 1",
  'The query was not executed due to a failed transaction',
  "The table 'meta' does not exist",
];

const work = { folder: '/d/store', otherwise: 'The store could not be read', isOpen: true };

test('maps every engine message about a damaged file to the error StoreDamaged', () => {
  for (const text of DAMAGES) {
    const error = mapStoreFault(new Error(text), work);
    expect(error, text).toBeInstanceOf(StoreDamaged);
    expect(error).toMatchObject({ code: 'store_failed', detail: text, folder: '/d/store' });
    expect(error.message).toContain('The store in /d/store is damaged: ');
  }
});

test('does not map a full disk, a missing permission or a lock to damage', () => {
  const codes = { locked: 'store_locked', EMFILE: 'store_failed', ENOMEM: 'store_failed' } as Record<string, string>;
  for (const [kind, texts] of Object.entries(SYSTEM))
    for (const text of texts) {
      expect(classifyStoreFault(text), text).toBe(kind);
      const error = mapStoreFault(new Error(text), work);
      expect(error, text).not.toBeInstanceOf(StoreDamaged);
      expect(error.code, text).toBe(codes[kind] ?? 'store_unwritable');
    }
});

test('does not map damage messages in the text of a row to damage', () => {
  for (const text of OTHERS) {
    expect(classifyStoreFault(text), text).toBeNull();
    expect(mapStoreFault(new Error(text), work)).toMatchObject({
      code: 'store_failed',
      message: `The store could not be read: ${text}`,
    });
  }
});
