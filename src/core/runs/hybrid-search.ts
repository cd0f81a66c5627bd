/**
 * Ranks notes and reports by their words and by what they mean, where texts can be embedded. What a search may find is
 * said by its job alone: a vector is only a place in the order of passages that the search was given anyway.
 */
import { errorInfo, TriadError } from '../base/errors.ts';
import { matches } from '../base/pattern.ts';
import { Semaphore } from '../base/semaphore.ts';
import { orStopped } from '../base/stop.ts';
import { redactKeysNow } from '../base/redact.ts';
import type { Embeddings } from '../model/embeddings.ts';
import type { Embedded, Space, Vectors, VectorTable } from '../store/store.ts';
import { vectorKey } from '../store/vectors.ts';
import type { Passage, Ranked } from '../tools/notes/note-search.ts';
import type { SearchJob, SearchResult } from '../tools/search/search.ts';

type Job = SearchJob & { kind: 'ranked' };

/** What both rankings give to the one that is made of them. */
const POOL = 60;
/** Of reciprocal rank fusion: how little the first places count more than those after them. */
const K = 60;
/** One request of the service. */
const BATCH = { texts: 64, bytes: 128 * 1024 };
/** What one search may have embedded; later ones go on. */
const MOST = { texts: 2000, bytes: 4 * 1024 * 1024 };
/** How long one search waits for the service, in milliseconds. */
const PATIENCE_MS = 20_000;

export class HybridSearch {
  readonly #embeddings: Embeddings;
  readonly #vectors: Vectors;
  readonly #patienceMs: number;
  readonly #most: typeof MOST;
  /** One search at a time has passages embedded, so that none is twice. */
  readonly #filling = new Semaphore(1);

  constructor(embeddings: Embeddings, vectors: Vectors, { patienceMs = PATIENCE_MS, most = MOST } = {}) {
    this.#embeddings = embeddings;
    this.#vectors = vectors;
    this.#patienceMs = patienceMs;
    this.#most = most;
  }

  /** `search`: by words. Where anything about vectors fails, its result is the result, with a line that says so. */
  async search(job: Job, signal: AbortSignal, search: (job: Job) => Promise<SearchResult>): Promise<SearchResult> {
    const { ranked, ...found } = await search({ ...job, passages: Math.max(POOL, job.limit) });
    if (!ranked) return found;
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.#patienceMs)]);
    try {
      const { nearest, notices } = await this.#nearest(job, ranked, { until, isWhole: !found.more });
      const lines = fused(ranked, nearest).slice(0, job.limit);
      return { ...found, lines, ...(notices.length > 0 && { notice: notices.join(' ') }) };
    } catch (error) {
      signal.throwIfAborted();
      const reason = until.aborted ? 'it took too long' : errorInfo(error).message.replace(/\s+/g, ' ').trim();
      return { ...found, notice: `Ranked by words alone: ${this.#embeddings.name} failed: ${reason}` };
    }
  }

  /** The passages whose vectors are nearest to that of the query, nearest first, as indexes. */
  async #nearest(
    { query, workspace: { folder }, hidden }: Job,
    { passages }: Ranked,
    { until, isWhole }: { until: AbortSignal; isWhole: boolean },
  ): Promise<{ nearest: number[]; notices: string[] }> {
    const { name: embedder, dimensions } = this.#embeddings;
    const space: Space = { embedder, dimensions, folder };
    const [vector] = await this.#embed([query], until);
    const table = await this.#vectors.table(space);
    const release = await this.#filling.acquire(until);
    const left = await this.#fill(table, passages, until).finally(release);
    const byKey = Map.groupBy(passages.keys(), (index) => vectorKey(passages[index]!));
    if (isWhole)
      await table.delete(
        [...table.known].flatMap(([key, row]) => (byKey.has(key) || isBeyond(row, hidden) ? [] : [row])),
      );
    const owners = [...new Set(passages.map(({ owner }) => owner))];
    const keys = vector ? await table.nearest(owners, vector, POOL) : [];
    return { nearest: keys.flatMap((key) => byKey.get(key) ?? []), notices: this.#noticesOf(table, left) };
  }

  #noticesOf(table: VectorTable, left: number): string[] {
    const { name, dimensions } = this.#embeddings;
    const notices: string[] = [];
    if (table.replaced !== null && !this.#told.has(table)) {
      this.#told.add(table);
      notices.push(
        `The vectors of this folder had ${table.replaced} numbers each, ${name} now gives ${dimensions}: they are made anew.`,
      );
    }
    if (left > 0)
      notices.push(`${left} passages are not embedded yet, and ranked by words alone: later searches go on.`);
    return notices;
  }

  readonly #told = new WeakSet<VectorTable>();

  /** Embeds what has no vector yet, as much as one search may; returns how many are left. */
  async #fill(table: VectorTable, passages: readonly Passage[], until: AbortSignal): Promise<number> {
    const missing = [...new Map(passages.map((passage) => [vectorKey(passage), passage]))].flatMap(([key, passage]) =>
      table.known.has(key) ? [] : [passage],
    );
    const now = firstOf(missing, this.#most);
    for (let from = 0; from < now.length;) {
      const batch = firstOf(now.slice(from), BATCH);
      const vectors = await this.#embed(
        batch.map(({ text }) => text),
        until,
      );
      await table.put(batch.map(({ owner, hash, path }, index) => ({ owner, hash, path, vector: vectors[index]! })));
      from += batch.length;
    }
    return missing.length - now.length;
  }

  /** Embeds the texts without their keys. Rejects with `provider` if the answer is not what the port promises. */
  async #embed(texts: readonly string[], until: AbortSignal): Promise<Float32Array[]> {
    const { dimensions } = this.#embeddings;
    const vectors = await orStopped(until, this.#embeddings.embed(texts.map(redactKeysNow), until));
    const isFit = (vector: Float32Array): boolean =>
      vector.length === dimensions && vector.every(Number.isFinite) && vector.some((one) => one !== 0);
    if (vectors.length === texts.length && vectors.every(isFit)) return vectors;
    throw new TriadError(
      'provider',
      `it should give ${texts.length} vectors of ${dimensions} numbers, and gave others`,
    );
  }
}

/** The search over what embeds now; null where nothing does. */
export function hybridSearches(
  embeddings: () => Promise<Embeddings | null>,
  vectors: Vectors,
): () => Promise<HybridSearch | null> {
  let made: { by: Embeddings; search: HybridSearch } | null = null;
  return async () => {
    const by = await embeddings();
    if (by !== null && made?.by !== by) made = { by, search: new HybridSearch(by, vectors) };
    return by && made!.search;
  };
}

/** As many from the first as fit into the bounds, at least one. */
function firstOf(passages: readonly Passage[], most: { texts: number; bytes: number }): readonly Passage[] {
  let bytes = 0;
  const end = passages.slice(0, most.texts).findIndex(({ text }, index) => {
    bytes += Buffer.byteLength(text);
    return index > 0 && bytes > most.bytes;
  });
  return passages.slice(0, end < 0 ? most.texts : end);
}

/** Reciprocal rank fusion: each passage once, with the line that the words gave it where they found it. */
function fused({ passages, hits }: Ranked, nearest: readonly number[]): string[] {
  const scores = new Map<number, number>();
  const add = (passage: number, rank: number): void => {
    scores.set(passage, (scores.get(passage) ?? 0) + 1 / (K + rank + 1));
  };
  hits.forEach(({ passage }, rank) => add(passage, rank));
  nearest.forEach(add);
  const lines = new Map(hits.map(({ passage, line }) => [passage, line]));
  const ordered = [...scores].sort(([, a], [, b]) => b - a);
  return ordered.map(([passage]) => lines.get(passage) ?? passages[passage]!.line);
}

/** Whether a search that passes over these paths cannot say that it is gone. */
function isBeyond({ owner, path }: Embedded, hidden: readonly string[]): boolean {
  return owner !== '' || hidden.some((pattern) => matches(pattern, path, { path: true, loose: true }));
}
