/**
 * Writes and reads search segments. Entries stay unindexed (a search reads them directly) until there are enough for a
 * segment, which is written once and only loses purged entries later.
 */
import type { Entry } from '#contract/message.ts';
import type { Database } from '../database.ts';
import { type SearchableText, searchableText } from './entry-text.ts';
import { type PlainRun, Reader } from '../rows/reader.ts';
import { entryRows } from '../rows/run-parts.ts';
import { bucketsOf, type EntryOfSegment, type RunOfEntry, sortKeyOfEntry, withoutTexts } from './segment.ts';

/** Unindexed entries that trigger a new segment, and most entries of one. */
const WAITING_ENTRIES = 256;
const SEGMENT_ENTRIES = 1000;
const SEGMENT_CHARS = 2_000_000;
/** Entries of a run, and runs, read in one query. */
const READ = 100;
const RUNS = 50;

/** A workflow with entries that are in no segment yet. */
export interface Waiting {
  id: string;
  waiting: number;
  segmented: Record<string, number>;
}

/** Workflows with unindexed entries, newest first. */
export async function waitingWorkflows(database: Database): Promise<Waiting[]> {
  const sql =
    "SELECT record::id(id) AS id, waiting, segmented, newest FROM workflow_index WITH INDEX waiting WHERE waits = 'search' AND newest > ''";
  const [found] = (await database.query(sql)) as [(Omit<Waiting, 'segmented'> & { segmented: string })[]];
  return found.map(({ id, waiting, segmented }) => ({
    id,
    waiting: Number(waiting),
    segmented: JSON.parse(segmented) as Waiting['segmented'],
  }));
}

/** An entry with everything that the search needs. */
export interface Searchable {
  run: RunOfEntry;
  n: number;
  ms: number;
  kind: SearchableText['kind'];
  text: string;
}

/** A run to read from entry number `from` on. */
export interface Reading {
  run: RunOfEntry;
  from: number;
}

/** One batch of entries of each run, and the readings that have more. Entries that are not searchable have no text. */
export async function readEntries(
  database: Database,
  readings: readonly Reading[],
): Promise<{ found: Searchable[][]; rest: Reading[] }> {
  const now = readings.slice(0, RUNS);
  if (now.length === 0) return { found: [], rest: [] };
  const rows = await entryRows(
    database,
    now.map(({ run, from }) => ({ runId: run.runId, from, to: from + READ - 1 })),
  );
  const found = now.map(({ run }, index) => (rows[index] ?? []).map((row) => searchable(run, row.entry as Entry)));
  const open = now.flatMap(({ run, from }, index) =>
    found[index]?.length === READ ? [{ run, from: from + READ }] : [],
  );
  return { found, rest: [...open, ...readings.slice(RUNS)] };
}

function searchable(run: RunOfEntry, entry: Entry): Searchable {
  const found = searchableText(entry, run.lead);
  return { run, n: entry.n, ms: Date.parse(entry.at), kind: found?.kind ?? 'tool', text: found?.text ?? '' };
}

export function runOfEntry({ id, workflowId, conversationId, agent, parentRunId }: PlainRun): RunOfEntry {
  return { runId: id, workflowId, conversationId, agent, lead: parentRunId === null };
}

/** Writes one segment if enough entries are unindexed; returns false if not. */
export async function segmentSome(database: Database, enough = WAITING_ENTRIES): Promise<boolean> {
  const all = await waitingWorkflows(database);
  if (all.reduce((sum, { waiting }) => sum + waiting, 0) < enough) return false;
  const taken: Waiting[] = [];
  for (let sum = 0; sum < SEGMENT_ENTRIES && taken.length < all.length;) {
    const next = all.at(-1 - taken.length) as Waiting;
    taken.push({ ...next, segmented: { ...next.segmented } });
    sum += Math.max(1, next.waiting);
  }
  const workflows = new Map(taken.map((one) => [one.id, one]));
  const runs = (await new Reader(database).plainRuns(taken.map(({ id }) => id))).map(runOfEntry);
  let readings = runs.map((run) => ({ run, from: workflows.get(run.workflowId)?.segmented[run.runId] ?? 0 }));
  const entries: Searchable[] = [];
  let [read, chars] = [0, 0];
  while (readings.length > 0 && read < SEGMENT_ENTRIES && chars < SEGMENT_CHARS) {
    const { found, rest } = await readEntries(database, readings);
    for (const [index, some] of found.entries()) {
      const { run, from } = readings[index] as Reading;
      const workflow = workflows.get(run.workflowId) as Waiting;
      workflow.segmented[run.runId] = from + some.length;
      read += some.length;
      chars += some.reduce((sum, { text }) => sum + text.length, 0);
      entries.push(...some.filter(({ text }) => text !== ''));
    }
    readings = rest;
  }
  // Workflows that were read to the end are done, whatever their counters say.
  const open = new Set(readings.map(({ run }) => run.workflowId));
  const changed = taken.map((one) => ({ ...one, waiting: open.has(one.id) ? Math.max(1, one.waiting) : 0 }));
  await writeSegment(database, entries, changed);
  return true;
}

async function writeSegment(
  database: Database,
  entries: readonly Searchable[],
  changed: readonly Waiting[],
): Promise<void> {
  const placed = entries
    .map((entry) => ({ ...entry, place: sortKeyOfEntry(entry.ms, entry.run.runId, entry.n) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
  const runs = new Map<string, { index: number; run: RunOfEntry }>();
  for (const { run } of placed) if (!runs.has(run.runId)) runs.set(run.runId, { index: runs.size, run });
  const list = placed.map(({ run, n, ms }): EntryOfSegment => [runs.get(run.runId)?.index ?? 0, n, ms]);
  const buckets = await bucketsOf(placed.map(({ text }) => text));
  const id = placed[0]?.place ?? '';
  const segment = {
    id,
    buckets: [...buckets.keys()].join('\n'),
    entries: JSON.stringify(list),
    runs: JSON.stringify([...runs.values()].map(({ run }) => run)),
  };
  const words = [...buckets].map(([bucket, lines]) => ({ id: [bucket, id], lines }));
  const values = Object.fromEntries(
    changed.flatMap(({ id: workflow, waiting, segmented }, index) => [
      [`w${index}`, database.record('workflow_index', workflow)],
      [`s${index}`, { waiting, segmented: JSON.stringify(segmented) }],
    ]),
  );
  const some = placed.length === 0 ? '' : ', segments += $id';
  const updates = changed.map(
    ({ waiting }, index) =>
      `UPDATE $w${index} SET segmented = $s${index}.segmented, waiting = $s${index}.waiting${waiting > 0 ? '' : ", waits -= 'search'"}${some} RETURN NONE;`,
  );
  const insert =
    placed.length === 0
      ? ''
      : 'INSERT INTO search_segment $segments RETURN NONE; INSERT INTO search_words $words RETURN NONE;';
  await database.transaction(`${insert} ${updates.join('\n')}`, {
    ...values,
    segments: [segment],
    words,
    id,
  });
}

/** Postings rows changed in one transaction. */
const ERASE = 50;

/** Removes the entries of runs from the segments, one batch at a time; returns true if there may be more. */
export async function eraseRuns(database: Database, workflowId: string, runIds: readonly string[]): Promise<boolean> {
  const index = database.record('workflow_index', workflowId);
  const [segments] = (await database.query('SELECT VALUE segments FROM ONLY $index', { index })) as [string[]?];
  const id = segments?.[0];
  if (id === undefined) return false;
  const done = 'UPDATE $index SET segments -= $id RETURN NONE;';
  const record = database.record('search_segment', id);
  const [row] = (await database.query('SELECT * FROM ONLY $record', { record })) as [
    { runs: string; entries: string; buckets: string } | undefined,
  ];
  if (!row) {
    await database.transaction(done, { index, id });
    return true;
  }
  const runs = JSON.parse(row.runs) as (RunOfEntry | null)[];
  const entries = JSON.parse(row.entries) as (EntryOfSegment | null)[];
  const isGone = (entry: EntryOfSegment | null) => entry !== null && runIds.includes(runs[entry[0]]?.runId ?? '');
  const gone = new Set(entries.flatMap((entry, place) => (isGone(entry) ? [place] : [])));
  const buckets = row.buckets.split('\n');
  for (let from = 0; from < buckets.length; from += ERASE)
    await eraseWords(database, id, buckets.slice(from, from + ERASE), gone);
  const left = entries.map((entry) => (isGone(entry) ? null : entry));
  const empty = left.every((entry) => entry === null);
  const change = empty
    ? 'DELETE $record RETURN NONE;'
    : 'UPDATE $record SET entries = $left, runs = $runs RETURN NONE;';
  const others = runs.map((run) => (run !== null && runIds.includes(run.runId) ? null : run));
  const values = { record, index, id, left: JSON.stringify(left), runs: JSON.stringify(others) };
  await database.transaction(`${change} ${done}`, values);
  return true;
}

async function eraseWords(
  database: Database,
  segment: string,
  buckets: readonly string[],
  gone: ReadonlySet<number>,
): Promise<void> {
  const records = buckets.map((bucket) => database.record('search_words', [bucket, segment]));
  const [rows] = (await database.query('SELECT * FROM $records', { records })) as [{ id: unknown; lines: string }[]];
  const kept = rows.map(({ id, lines }) => ({ id, lines: withoutTexts(lines, gone) }));
  const values = {
    gone: kept.filter(({ lines }) => lines === null).map(({ id }) => id),
    kept: kept.filter(({ lines }) => lines !== null),
  };
  const replace = 'INSERT INTO search_words $kept ON DUPLICATE KEY UPDATE lines = $input.lines RETURN NONE;';
  await database.transaction(`DELETE $gone RETURN NONE; ${values.kept.length === 0 ? '' : replace}`, values);
}
