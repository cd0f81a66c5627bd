/** Reads before and after a flush, and the rows that a start restores from the journal. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { TriadError } from '#core/base/errors.ts';
import type { Closable } from '#core/store/closable.ts';
import { DiskFull } from '#core/store/disk-space.ts';
import type { CommitItem, Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { conversationId, idOf } from '../../../support/recording.ts';
import { rowsInParts } from '../../../support/run-parts.ts';
import { conversation, eventsOf, type Plan, plan } from '../random-history.ts';
import { openOn, type Opened } from '../support.ts';
import { inFullRun, samples } from '../../../support/samples.ts';
import { eventItems } from '../../../support/commit-items.ts';
import { rebuilt } from '../../../support/stores/rebuilt.ts';

const TABLES = [
  ...['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval', 'open_message'],
  ...['envelope', 'index_queue', 'memory'],
];

let opened: Opened;
let journalFolder: string;
beforeAll(async () => {
  opened = await openOn('mem');
  journalFolder = await mkdtemp(join(tmpdir(), 'triad-journal-'));
});
afterAll(async () => {
  await opened.close();
  await rm(journalFolder, { recursive: true, force: true });
});

function getJournalOf(where: Opened): string {
  return join(journalFolder, where === opened ? 'own' : 'reference');
}

/** Newest generation of the journal in the database. */
async function readApplied({ database }: Opened): Promise<unknown> {
  return (await database.query('SELECT VALUE applied FROM ONLY meta:journal'))[0];
}

/** A process with the store: it can be killed, and a transaction of it can be made to fail. */
type FlushFailure = 'no' | 'early' | 'late' | 'full';

interface Life {
  store: Store;
  /** Nothing reaches the database any more. */
  kill: () => void;
  /** How many flushes there were. */
  flushes: () => number;
  /** The next flush fails; with `late` after it was stored, as when a process dies before it knows. */
  setFlush: (how: FlushFailure) => void;
}

/** The last process with a store. One that lives on would do its background work between the steps of the next. */
const living = new WeakMap<Opened, Life>();

const isFlush = (values: Record<string, unknown> = {}) => 'generation' in values;

async function begin(where: Opened): Promise<Life> {
  const { database } = where;
  living.get(where)?.kill();
  let killed = false;
  let flushes = 0;
  let failing: FlushFailure = 'no';
  const dead = () => (killed ? Promise.reject(new TriadError('interrupted', 'killed')) : null);
  const own: Closable = {
    ...database,
    close: () => Promise.resolve(),
    query: (sql, values) => dead() ?? database.query(sql, values),
    transaction: async (sql, values) => {
      await dead();
      const fails = isFlush(values) ? failing : 'no';
      if (isFlush(values)) flushes += 1;
      if (fails === 'full') throw new DiskFull('/data', 0);
      if (fails !== 'early') await database.transaction(sql, values);
      if (fails !== 'no') throw new TriadError('store_failed', 'The disk is full');
    },
  };
  const { store, recover } = storeOn(own, {
    mode: { kind: 'behind', journal: getJournalOf(where) },
    diskFull: () => (failing === 'full' ? new DiskFull('/data', 0) : null),
  });
  await recover();
  const life: Life = {
    store,
    kill: () => {
      killed = true;
      // Frees its open files.
      store.close().catch(() => undefined);
    },
    flushes: () => flushes,
    setFlush: (how) => (failing = how),
  };
  living.set(where, life);
  return life;
}

async function empty(where: Opened): Promise<void> {
  const { database } = where;
  living.get(where)?.kill();
  const all = [
    ...TABLES,
    'event',
    'run_part',
    'workflow_index',
    'list_segment',
    'list_column',
    'list_term',
    'facet',
    'meta:journal',
  ];
  await database.transaction(all.map((table) => `DELETE ${table} RETURN NONE;`).join('\n'));
  await rm(getJournalOf(where), { recursive: true, force: true });
}

async function rowsOf({ database }: Opened): Promise<Record<string, unknown>> {
  const found = await database.query(TABLES.map((table) => `SELECT * FROM ${table};`).join('\n'));
  const plain = JSON.parse(JSON.stringify(found)) as unknown[];
  const rows = Object.fromEntries(TABLES.map((table, index) => [table, plain[index]]));
  return { ...rows, ...(await rowsInParts(database)) };
}

/** All that can be asked of a store, of the workflows of these events. */
async function everything(store: Store, events: readonly DurableEvent[]): Promise<unknown> {
  const workflows = [...new Set(events.map(({ workflowId }) => workflowId))];
  const runs = [...new Set(events.map(({ runId }) => runId))];
  const approvals = events.flatMap((event) => (event.type === 'approval-request' ? event.approval.id : []));
  return Promise.all([
    store.conversation(conversationId),
    store.conversations({ limit: 9 }),
    store.lastSeq(conversationId),
    store.events(conversationId, 1, 1e6),
    ...workflows.map((id) => store.workflow(id)),
    store.workflows({ limit: 50, conversationId }),
    store.workflows({ limit: 50, sort: 'cost' }),
    store.executions({ limit: 50, sort: 'duration' }),
    store.facets(),
    store.unfinishedWorkflows(),
    ...runs.flatMap((id) => [store.run(id), store.entriesOf(id)]),
    store.runsOf(workflows),
    store.callsOf(runs),
    store.executionsOf(runs),
    store.approvalsOf(workflows),
    store.openApprovals(),
    ...approvals.map((id) => store.approval(id)),
    ...workflows.map((id) => store.requestsOf(id)),
    store.sessionWork([conversationId]),
    store.search({ text: 'done', limit: 9 }),
  ]);
}

/** One of each of them, by chance. */
async function someRead(store: Store, events: readonly DurableEvent[], which: number): Promise<unknown> {
  const { workflowId, runId } = events[which % events.length]!;
  const reads = [
    () => store.workflow(workflowId),
    () => store.run(runId),
    () => store.conversation(conversationId),
    () => store.entriesOf(runId),
    () => store.runsOf([workflowId]),
    () => store.openApprovals(),
    () => store.workflows({ limit: 5, conversationId }),
  ];
  return reads[which % reads.length]!();
}

type Step = { kind: 'commit'; size: number } | { kind: 'read'; which: number } | { kind: 'kill' } | { kind: 'flush' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('commit' as const), size: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), which: fc.nat(1000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
);

test('reads return equal results with and without pending changes, after any flush and any kill', async () => {
  const reference = await openOn('mem');
  onTestFinished(() => reference.close());
  const run = async (plans: Plan[], steps: Step[]) => {
    for (const one of [opened, reference]) await empty(one);
    const events = eventsOf(plans);
    let life = await begin(opened);
    const atOnce = (await begin(reference)).store;
    for (const store of [life.store, atOnce]) await store.commit([conversation]);
    let from = 0;
    const commit = async (size: number) => {
      const some = events.slice(from, from + size);
      from += some.length;
      if (some.length === 0) return;
      await life.store.commit(eventItems(some));
      await atOnce.commit(eventItems(some));
      // A list flushes.
      await atOnce.conversations({ limit: 1 });
    };
    for (const one of steps) {
      if (one.kind === 'commit') await commit(one.size);
      else if (one.kind === 'flush') await life.store.conversations({ limit: 1 });
      else if (one.kind === 'read')
        expect(await someRead(life.store, events, one.which)).toEqual(await someRead(atOnce, events, one.which));
      else {
        life.kill();
        life = await begin(opened);
      }
    }
    await commit(events.length);
    expect(await everything(life.store, events)).toEqual(await everything(atOnce, events));
    life.kill();
    // Of what was committed after the last flush too; a second replay adds nothing to the first.
    for (let starts = 0; starts < 2; starts += 1) life = await begin(opened);
    expect(await everything(life.store, events)).toEqual(await everything(atOnce, events));
    await life.store.settled();
    const rows = await rowsOf(opened);
    const other = await openOn('mem');
    await rebuilt(life.store, other.store);
    expect(rows, 'a recovery makes the same rows').toEqual(await rowsOf(other));
    await other.close();
  };
  const plans = fc.array(plan, { minLength: 1, maxLength: inFullRun ? 2 : 1 });
  await fc.assert(fc.asyncProperty(plans, fc.array(step, { minLength: 3, maxLength: 14 }), run), samples(1, 20));
});

const finished: Plan = {
  children: [{ agent: 'writer', no: false, turns: 2, text: 'x', outcome: 'completed' }],
  outcome: 'completed',
  resumed: false,
};

describe('a committed workflow', () => {
  const events = eventsOf([finished]);
  beforeEach(() => empty(opened));

  test('is in the journal alone until a list is read', async () => {
    const { store } = await begin(opened);
    await store.commit([conversation]);
    await store.commit(eventItems(events));
    expect(await rowsOf(opened)).toMatchObject({ workflow: [], run: [], message: {}, model_request: {} });
    expect(await opened.database.query('SELECT * FROM event')).toEqual([[]]);
    expect(await readApplied(opened)).toBe(0);
    expect(await store.workflows({ limit: 9 })).toMatchObject({ items: [{ id: events[0]!.workflowId }] });
    expect(await readApplied(opened)).toBe(1);
  });

  test('is not flushed for a new conversation or a read of events', async () => {
    const { store } = await begin(opened);
    await store.commit([conversation]);
    await store.commit(eventItems(events));
    await store.commit([{ ...conversation, key: idOf(800), row: { ...conversation.row, id: idOf(800) } }]);
    expect(await store.lastSeq(idOf(800))).toBe(0);
    expect(await store.events(conversationId, 1, 999)).toHaveLength(events.length);
    expect((await rowsOf(opened)).workflow).toEqual([]);
    await store.commit([{ ...conversation, row: { ...conversation.row, title: 'Renamed' } }]);
    expect((await rowsOf(opened)).workflow).toEqual([]);
    expect((await store.conversation(conversationId))?.title).toBe('Renamed');
  });

  test('is flushed once for concurrent reads while it runs', async () => {
    const { store, flushes } = await begin(opened);
    const some = events.slice(0, 5);
    await store.commit([conversation]);
    await store.commit(eventItems(some));
    const before = flushes();
    await Promise.all(some.map(({ workflowId }) => store.runsOf([workflowId])));
    expect(flushes() - before).toBe(1);
  });

  test('is flushed again after later events', async () => {
    const { store } = await begin(opened);
    const [some, more] = [events.slice(0, 5), events.slice(5, 7)];
    await store.commit([conversation]);
    await store.commit(eventItems(some));
    await store.conversations({ limit: 1 });
    await store.commit(eventItems(more));
    expect(await readApplied(opened)).toBe(1);
    await store.conversations({ limit: 1 });
    expect(await readApplied(opened)).toBe(2);
    expect(await store.events(conversationId, 1, 99)).toEqual(events.slice(0, 7));
  });

  test.each([false, true])('is complete at the next start after a failed flush (stored: %s)', async (late) => {
    const life = await begin(opened);
    await life.store.commit([conversation]);
    await life.store.commit(eventItems(events));
    life.setFlush(late ? 'late' : 'early');
    const expected = await life.store.workflow(events[0]!.workflowId);
    // A list shows what is stored; that it is not all there is has been told by then.
    await life.store.workflows({ limit: 9 });
    expect(life.store.lost.aborted).toBe(true);
    const message = expect.stringMatching(/^The history could not be written, so all work was stopped/) as string;
    expect(life.store.lost.reason).toMatchObject({ code: 'store_failed', message });
    expect(await life.store.workflow(events[0]!.workflowId), 'what was shown').toEqual(expected);
    life.kill();
    const { store } = await begin(opened);
    expect(await store.workflow(events[0]!.workflowId)).toEqual(expected);
    await store.settled();
    const other = await openOn('mem');
    await rebuilt(store, other.store);
    expect(await rowsOf(opened)).toEqual(await rowsOf(other));
    await other.close();
  });

  test('is flushed later if the disk was full', async () => {
    const { store, setFlush } = await begin(opened);
    await store.commit([conversation]);
    await store.commit(eventItems(events));
    setFlush('full');
    await store.workflows({ limit: 9 });
    expect(store.lost.aborted).toBe(false);
    setFlush('no');
    expect((await store.workflows({ limit: 9 })).items.map(({ id }) => id)).toContain(events[0]!.workflowId);
  });

  test('a commit flushes a full journal first, and is rejected while the disk is also full', async () => {
    const life = await begin(opened);
    const note = (name: string): CommitItem => ({
      table: 'memory',
      key: ['lead\n/a', name],
      row: { scope: 'lead', folder: '/a', name, text: 'x'.repeat(17_000_000), updatedAt: '2026-03-01T12:00:00.000Z' },
    });
    await life.store.commit([note('one')]);
    await life.store.commit([note('two')]);
    expect(await readApplied(opened)).toBe(1);
    life.setFlush('full');
    await expect(life.store.commit([conversation])).rejects.toThrow(DiskFull);
    life.setFlush('no');
    await life.store.commit([conversation]);
    expect(await life.store.conversation(conversationId)).not.toBeNull();
  });

  test('a replay of the journal stores the entries of a run even if the row of its workflow is missing', async () => {
    const life = await begin(opened);
    const [some, more] = [events.slice(0, 5), events.slice(5)];
    await life.store.commit([conversation]);
    await life.store.commit(eventItems(some));
    await life.store.conversations({ limit: 1 });
    await life.store.commit(eventItems(more));
    life.kill();
    await opened.database.query('DELETE workflow RETURN NONE;');
    const { store } = await begin(opened);
    expect(await store.workflow(events[0]!.workflowId)).toBeNull();
    expect(await store.entriesOf(events.at(-1)!.runId)).not.toEqual([]);
  });

  test('restores the rows that no event produces', async () => {
    const first = await begin(opened);
    const { workflowId, runId, at } = events[0]!;
    const message = { messageId: idOf(7), conversationId, workflowId, runId, at, parts: [] };
    await first.store.commit([conversation, ...eventItems(events.slice(0, 1))]);
    first.kill();
    const life = await begin(opened);
    await life.store.commit([...eventItems(events.slice(1, 5)), { table: 'open_message', key: idOf(7), row: message }]);
    life.kill();
    const { store } = await begin(opened);
    expect(await store.openMessages()).toEqual([message]);
    expect(await store.conversation(conversationId)).toMatchObject({ id: conversationId, lastSeq: 1 });
  });

  test('a streamed message that ends after a restart leaves no row', async () => {
    const first = await begin(opened);
    const { workflowId, runId, at } = events[0]!;
    const message = { messageId: idOf(7), conversationId, workflowId, runId, at, parts: [] };
    await first.store.commit([conversation, { table: 'open_message', key: idOf(7), row: message }]);
    await first.store.settled();
    first.kill();
    const { store } = await begin(opened);
    expect(await store.openMessages()).toEqual([message]);
    await store.commit([{ table: 'open_message', key: idOf(7), row: null }]);
    expect(await store.openMessages()).toEqual([]);
  });

  test('does not bring back a note that another conversation replaced', async () => {
    const life = await begin(opened);
    const { runId, parentRunId, agent, workflowId, at } = events[0]!;
    const note = (text: string, of: string): DurableEvent => ({
      type: 'memory-change',
      scope: 'lead',
      folder: '/a',
      name: 'n',
      text,
      conversationId: of,
      workflowId,
      runId,
      parentRunId,
      agent,
      at,
      seq: 1,
    });
    const others = [idOf(800), idOf(2)];
    for (const id of others) await life.store.commit([{ ...conversation, key: id, row: { ...conversation.row, id } }]);
    for (const id of others) await life.store.commit([{ event: note(`of ${id}`, id) }]);
    life.kill();
    expect(await (await begin(opened)).store.notes()).toMatchObject([{ text: `of ${others[1]}` }]);
  });

  test('has its rows in the database after the store is closed', async () => {
    const { store } = await begin(opened);
    await store.commit([conversation]);
    await store.commit(eventItems(events));
    await store.close();
    expect(await readApplied(opened)).toBe(1);
    expect((await rowsOf(opened)).workflow).toHaveLength(1);
  });

  test('is not replayed twice after a kill in the middle of two flushes', async () => {
    const life = await begin(opened);
    await life.store.commit([conversation]);
    for (const event of events) {
      await life.store.commit([{ event }]);
      if (event.seq % 3 === 0) await life.store.conversations({ limit: 1 });
    }
    life.setFlush('late');
    await life.store.conversations({ limit: 1 });
    life.kill();
    const { store } = await begin(opened);
    expect(await store.events(conversationId, 1, 999)).toEqual(events);
    const usage = (await store.conversation(conversationId))?.usage;
    expect(usage?.requests).toBe(events.filter(({ type }) => type === 'usage').length);
  });
});
