/**
 * How the embedded engine uses memory and disk. It reads this from the environment when it opens a folder, and its own
 * values are those of a server: it would keep hundreds of megabytes of history in memory before it writes them to a
 * file. Nothing here is about durability: the engine calls fdatasync on its log for every commit before it acknowledges
 * it, so a commit outlives the process and the power. Nor about damage: it compares each block that it reads with its
 * checksum, and how it takes a damaged log cannot be set (see `log-witness.ts`, and `check.ts` for damaged blocks).
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
