/** Full-text search: candidates from the segments and from unindexed entries, verified against the stored text. */
import type { ConversationRow, RunRow, SearchHit } from '#contract/view.ts';
import type { Entry } from '#contract/message.ts';
import { textOf } from '#contract/messages/response-text.ts';
import type { Database } from '../database.ts';
import { searchableText } from './entry-text.ts';
import { selectRecords } from '../rows/readable-rows.ts';
import { Reader } from '../rows/reader.ts';
import { decodeRow, SELECT_JSON, type Stored } from '../rows/row-codec.ts';
import { plainText } from './plain-text.ts';
import { entryRows } from '../rows/run-parts.ts';
import type { Narrow } from './narrowed.ts';
import { bucketOf, type EntryOfSegment, postingsOf, type RunOfEntry, sortKeyOfEntry } from './segment.ts';
import { readEntries, runOfEntry, waitingWorkflows } from './segment-writer.ts';
import type { Paged, Search, Store } from '../store.ts';
import { hitsIn, snippetOf, type Terms, termsIn } from './words.ts';

/** Where only one kind is wanted: how many places are looked at, in all and at a time. */
const OF_KIND = { most: 400, atOnce: 50 };
/** Where filters narrow it: how many places are looked up at a time, and in all for one page, which may have fewer hits then. */
const NARROWED = { most: 5000, atOnce: 200 };

type Reads = Pick<Store, 'unfinishedWorkflows'>;

/** An entry that may match. */
interface Candidate {
  place: string;
  run: RunOfEntry;
  n: number;
}

export async function search(
  database: Database,
  reads: Reads,
  { text, before = '', limit, kind }: Search,
  narrow: Narrow | null,
): Promise<Paged<SearchHit>> {
  const terms = termsIn(text);
  const items: SearchHit[] = [];
  if (!terms) return { items, next: null };
  const waiting = await waitingCandidates(database, reads, terms, before);
  const places: string[] = [];
  let looked = 0;
  const batch: Candidate[] = [];
  let last = before;
  const atOnce = (): number => (narrow ? NARROWED.atOnce : kind === undefined ? limit - items.length : OF_KIND.atOnce);
  const check = async () => {
    looked += batch.length;
    last = batch.at(-1)?.place ?? last;
    const some = batch.splice(0);
    for (const { place, hit } of await checked(database, narrow ? await narrow(some) : some, terms)) {
      if (kind !== undefined && hit.kind !== kind) continue;
      items.push(hit);
      places.push(place);
    }
  };
  for await (const candidate of merged(database, waiting, terms, before)) {
    batch.push(candidate);
    if (batch.length <= atOnce()) continue;
    await check();
    if (items.length > limit || (kind !== undefined && looked >= OF_KIND.most)) break;
    if (narrow && looked >= NARROWED.most) return { items, next: last };
  }
  await check();
  return { items: items.slice(0, limit), next: items.length > limit ? (places[limit - 1] ?? null) : null };
}

/** All candidates after the cursor, newest first. */
async function* merged(
  database: Database,
  waiting: Candidate[],
  terms: Terms,
  before: string,
): AsyncGenerator<Candidate> {
  const pool = waiting;
  const sort = () => pool.sort((a, b) => (a.place < b.place ? -1 : 1));
  sort();
  for (const [id, places] of await segmentsWith(database, terms)) {
    // What is newer than the newest entry of this and of the segments to come is next.
    while (pool[0] && pool[0].place < id) yield pool.shift() as Candidate;
    const found = await candidatesOf(database, id, places);
    pool.push(...found.filter(({ place }) => place > before));
    sort();
  }
  yield* pool;
}

/** Segments that contain all words in the same entries, newest first, each with the indexes of these entries. */
async function segmentsWith(
  database: Database,
  { words, prefix }: Terms,
): Promise<[id: string, places: Set<number>][]> {
  // Long words are rare: the others are looked up only in the segments that contain these.
  const wanted = [
    ...words.map((word) => ({ word, open: false })),
    ...(prefix === null ? [] : [{ word: prefix, open: true }]),
  ].sort((a, b) => b.word.length - a.word.length);
  let found: Map<string, Set<number>> | null = null;
  for (const { word, open } of wanted) {
    const next = new Map<string, Set<number>>();
    for (const [segment, lines] of await linesOf(database, bucketOf(word), found)) {
      const places = postingsOf(lines, word, open);
      const both = found ? places.intersection(found.get(segment) ?? new Set()) : places;
      if (both.size > 0) next.set(segment, both);
    }
    found = next;
    if (found.size === 0) return [];
  }
  return [...(found ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The postings rows of a bucket, by segment: all, or those of some segments. */
async function linesOf(
  database: Database,
  bucket: string,
  segments: ReadonlyMap<string, unknown> | null,
): Promise<[string, string][]> {
  const all = 'search_words:[$bucket, NONE]..[$bucket, ..]';
  const sql = `SELECT * FROM ${segments ? '$records' : all}`;
  const records = [...(segments?.keys() ?? [])].map((segment) => database.record('search_words', [bucket, segment]));
  const [rows] = (await database.query(sql, { bucket, records })) as [
    { id: { id: [string, string] }; lines: string }[],
  ];
  return rows.map(({ id, lines }) => [id.id[1], lines]);
}

async function candidatesOf(database: Database, id: string, places: ReadonlySet<number>): Promise<Candidate[]> {
  const values = { segment: database.record('search_segment', id) };
  const [row] = (await database.query('SELECT * FROM ONLY $segment', values)) as [
    { runs: string; entries: string } | undefined,
  ];
  if (!row) return [];
  const runs = JSON.parse(row.runs) as (RunOfEntry | null)[];
  const entries = JSON.parse(row.entries) as (EntryOfSegment | null)[];
  return [...places].flatMap((at) => {
    const [index, n, ms] = entries[at] ?? [-1, 0, 0];
    const run = runs[index];
    return run ? { place: sortKeyOfEntry(ms, run.runId, n), run, n } : [];
  });
}

/** Entries that are in no segment yet, including those of unfinished workflows. */
async function waitingCandidates(database: Database, reads: Reads, terms: Terms, before: string): Promise<Candidate[]> {
  const waiting = new Map((await waitingWorkflows(database)).map(({ id, segmented }) => [id, segmented]));
  const unfinished = (await reads.unfinishedWorkflows()).map(({ id }) => id);
  const records = unfinished.map((id) => database.record('workflow_index', id));
  const [again] = (await database.query('SELECT VALUE segmented FROM $records', { records })) as [
    (string | undefined)[],
  ];
  // Earlier entries of a resumed workflow may be in segments already.
  for (const [index, id] of unfinished.entries())
    waiting.set(id, JSON.parse(again[index] ?? '{}') as Record<string, number>);
  const runs = (await new Reader(database).plainRuns([...waiting.keys()])).map(runOfEntry);
  let readings = runs.map((run) => ({ run, from: waiting.get(run.workflowId)?.[run.runId] ?? 0 }));
  const candidates: Candidate[] = [];
  while (readings.length > 0) {
    const { found, rest } = await readEntries(database, readings);
    for (const { run, n, ms, text } of found.flat()) {
      const place = sortKeyOfEntry(ms, run.runId, n);
      if (place > before && hitsIn(text, terms)) candidates.push({ place, run, n });
    }
    readings = rest;
  }
  return candidates;
}

/** Candidates that exist, are not in the trash and contain the words. */
async function checked(
  database: Database,
  candidates: readonly Candidate[],
  terms: Terms,
): Promise<{ place: string; hit: SearchHit }[]> {
  if (candidates.length === 0) return [];
  const conversationIds = candidates.map(({ run }) => run.conversationId);
  const runIds = [...new Set(candidates.map(({ run }) => run.runId))];
  const [shown, entries, ended] = await Promise.all([
    shownOf(database, conversationIds),
    entriesOf(database, candidates),
    saidAtEnd(database, runIds),
  ]);
  const origins = [...shown.values()].flatMap(({ from }) => from?.conversationId ?? []);
  const first = await shownOf(database, origins);
  return candidates.flatMap(({ place, run, n }) => {
    const conversation = shown.get(run.conversationId);
    const entry = entries.get(`${run.runId}/${n}`);
    const found = entry && searchableText(entry, run.lead);
    const hits = found && hitsIn(found.text, terms);
    if (!conversation || !entry || !found || !hits) return [];
    // Found where it was said, as long as that is there.
    const { from } = conversation;
    if (from && run.workflowId <= (from.last ?? '') && first.has(from.conversationId)) return [];
    const { runId, workflowId, agent } = run;
    const words = plainText(found.text, hits);
    const hit = {
      conversationId: conversation.id,
      workflowId,
      runId,
      n,
      kind: isInterim(entry, ended.get(runId)) ? ('interim' as const) : found.kind,
      agent,
      title: conversation.title,
      at: entry.at,
      ...snippetOf(words.text, words.kept),
    };
    return { place, hit };
  });
}

/** By run id: the answer or report with which each ended. Without their envelopes, which would be read for nothing. */
async function saidAtEnd(database: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const records = ids.map((id) => database.record('run', id));
  const found = await selectRecords<Stored>(database, records, SELECT_JSON);
  const rows = found.map((stored) => decodeRow('run', stored) as unknown as RunRow);
  return new Map(rows.map(({ id, text }) => [id, text]));
}

/** Of a run that has not ended nothing is its report yet. */
function isInterim(entry: Entry, end: string | undefined): boolean {
  if (entry.kind !== 'assistant' || end === undefined) return false;
  const said = textOf(entry);
  const last = end.trim();
  if (said === last) return false;
  if (entry.parts.some(({ type }) => type === 'tool_use')) return true;
  // An end can consist of several responses.
  return !last.includes(said);
}

/** Those that are there, and not in the trash. */
async function shownOf(database: Database, ids: readonly string[]): Promise<Map<string, ConversationRow>> {
  const rows = await new Reader(database).byId<ConversationRow>('conversation', ids);
  return new Map([...rows].filter(([, { deletedAt }]) => !deletedAt));
}

/** Entries by run id and number. */
async function entriesOf(database: Database, candidates: readonly Candidate[]): Promise<Map<string, Entry>> {
  const ranges = candidates.map(({ run, n }) => ({ runId: run.runId, from: n, to: n }));
  const found = await entryRows(database, ranges);
  return new Map(
    candidates.flatMap(({ run, n }, at) => (found[at] ?? []).map((row) => [`${run.runId}/${n}`, row.entry as Entry])),
  );
}
