/**
 * Settings of the embedded engine for memory and disk. The engine reads them from the environment when it opens a folder.
 * Its defaults are those of a server: it would hold hundreds of megabytes in memory before it writes them to a file.
 * No setting changes durability: the engine calls fdatasync on its log before it acknowledges a transaction. No setting
 * changes how it treats damage: it compares each block with its checksum, and drops what follows a fault in its log.
 * See `faults.ts` for damaged blocks and `commits/journal-state.ts` for what the log lost.
 */
const KB = 1024;
const MB = 1024 * KB;

const SETTINGS: Readonly<Record<string, string>> = {
  // Two of these tables in memory at most, each written to a file when it is full; as much again is kept to find
  // conflicts of transactions.
  SURREAL_ROCKSDB_WRITE_BUFFER_SIZE: String(4 * MB),
  SURREAL_ROCKSDB_MAX_WRITE_BUFFER_NUMBER: '2',
  SURREAL_ROCKSDB_MIN_WRITE_BUFFER_NUMBER_TO_MERGE: '1',
  // Also the bound of all tables in memory: were they ever larger, every write would wait, and nothing would end that.
  SURREAL_ROCKSDB_BLOCK_CACHE_SIZE: String(64 * MB),
  // Larger blocks would be smaller on the disk, but most reads are of one row.
  SURREAL_ROCKSDB_BLOCK_SIZE: String(16 * KB),
  // Where a size is not set that goes by the memory of the machine, the engine looks at every thread of every process.
  SURREAL_ROCKSDB_COMPACTION_READAHEAD_SIZE: String(4 * MB),
  // Otherwise the engine marks files with many deletions. It stores the mark, and each opening merges a marked file at
  // once: if a block of it is damaged, no setting could open the store any more.
  SURREAL_ROCKSDB_DELETION_FACTORY_DELETE_COUNT: String(1e9),
  SURREAL_ROCKSDB_DELETION_FACTORY_RATIO: '0',
};

type Environment = Record<string, string | undefined>;

/** Sets those that the user has not set; the returned function removes them, so that no child process inherits them. */
// oxlint-disable-next-line no-restricted-properties -- the engine can be told in no other way
export function applyEngineSettings(environment: Environment = process.env): () => void {
  const added = Object.keys(SETTINGS).filter((name) => environment[name] === undefined);
  for (const name of added) environment[name] = SETTINGS[name];
  return () => {
    for (const name of added) delete environment[name];
  };
}
