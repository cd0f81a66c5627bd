/** A history gives the same rows in memory, on the page, in the store and after a recovery. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { Approval } from '#contract/approval.ts';
import { DurableEvent, RequestUsage } from '#contract/event.ts';
import { SubAgentExecution } from '#contract/execution.ts';
import { Grant } from '#contract/permission.ts';
import type { Table } from '#contract/rows.ts';
import { ConversationRow, MemoryNote, RunRow, type Snapshot, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { EventLog } from '#core/store/log/event-log.ts';
import { OpenMessages } from '#core/store/log/open-messages.ts';
import { snapshot } from '#core/host/records/snapshots.ts';
import type { Store } from '#core/store/store.ts';
import { storeOn } from '#core/store/store-on.ts';
import { attach, reduce, type View, withCalls, withEntries } from '#lib/view/reduce.ts';
import { viewBefore } from '#lib/view/replay/keyframes.ts';
import { eventItems } from '../../support/commit-items.ts';
import { MemoryRows } from '../../support/memory-rows.ts';
import { conversationId } from '../../support/recording.ts';
import { samples } from '../../support/samples.ts';
import { conversation, eventsOf, type Plan, richPlan } from './random-history.ts';
import { everyExtra } from './random-extras.ts';
import { openOn } from './support.ts';
import { rebuilt } from '../../support/stores/rebuilt.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triad-same-rows-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Rows that a page holds, by key. */
interface PageRows {
  conversation: object;
  workflows: Record<string, object>;
  runs: Record<string, object>;
  entries: Record<string, object>;
  calls: Record<string, object>;
  approvals: Record<string, object>;
  /** Ids of approvals without all answers. */
  open: string[];
}

/** Rows that only a store holds, by key. */
interface StoreRows {
  executions: Record<string, object>;
  requests: Record<string, object>;
  notes: Record<string, object>;
  grants: Record<string, object>;
}

/** Returns the rows by key, as they are written in JSON. */
function byKey<Row extends object>(rows: readonly Row[], getKey: (row: Row) => string): Record<string, Row> {
  const entries = rows.map((row): [string, Row] => [getKey(row), JSON.parse(JSON.stringify(row)) as Row]);
  expect(new Set(entries.map(([key]) => key)).size, 'no key occurs twice').toBe(rows.length);
  return Object.fromEntries(entries);
}

const getId = ({ id }: { id: string }) => id;
const getCallKey = ({ runId, toolCallId }: { runId: string; toolCallId: string }) => `${runId} ${toolCallId}`;
const getRequestId = ({ requestId }: { requestId: string }) => requestId;
const getNoteKey = ({ scope, folder, name }: { scope: string; folder: string; name: string }) =>
  `${scope} ${folder} ${name}`;

function memoryRows(events: readonly DurableEvent[]): MemoryRows {
  return new MemoryRows([conversation], events);
}

function rowsInMemory(rows: MemoryRows): PageRows & StoreRows {
  const all = <T extends Table>(table: T) => rows.all(table).map(({ row }) => row);
  const messages = rows.all('message').map(({ key, row }) => ({ id: String(key), ...row.entry }));
  const approvals = all('approval').map(({ workflowId: _workflowId, open: _open, ...approval }) => approval);
  return {
    conversation: rows.get('conversation', conversationId)!,
    workflows: byKey(all('workflow'), getId),
    runs: byKey(all('run'), getId),
    entries: byKey(messages, getId),
    calls: byKey(all('tool_call'), getCallKey),
    approvals: byKey(approvals, ({ request }) => request.id),
    open: all('approval').flatMap(({ request, open }) => (open > 0 ? request.id : [])),
    executions: byKey(
      all('sub_agent_execution').map((row) => ({ ...row, id: row.sub_agent_id })),
      getId,
    ),
    requests: byKey(
      all('model_request').map(({ workflowId: _workflowId, conversationId: _conversationId, ...row }) => row),
      getRequestId,
    ),
    notes: byKey(all('memory'), getNoteKey),
    grants: byKey(all('permission_grant'), getId),
  };
}

/** Returns the rows in memory that a page holds. `lastSeq`: number of the newest event, which the page has itself. */
function pageRowsIn(rows: MemoryRows, lastSeq: number): PageRows {
  const { executions: _e, requests: _r, notes: _n, grants: _g, ...page } = rowsInMemory(rows);
  return { ...page, conversation: { ...page.conversation, lastSeq } };
}

function rowsOnPage({ conversation: row, workflows, runs, entries, calls, approvals }: View): PageRows {
  const messages = [...entries].flatMap(([run, list]) => list.map((entry) => ({ id: `${run},${entry.n}`, ...entry })));
  return {
    conversation: row,
    workflows: byKey(workflows, getId),
    runs: byKey(runs, getId),
    entries: byKey(messages, getId),
    calls: byKey(calls, getCallKey),
    approvals: byKey(approvals, ({ request }) => request.id),
    open: approvals.flatMap(({ request, decisions }) => (decisions.includes(null) ? request.id : [])).sort(),
  };
}

/** Reads each row by its id, which needs no flush for most tables. */
async function rowsInStore(store: Store, rows: MemoryRows): Promise<PageRows & StoreRows> {
  const workflowIds = rows.all('workflow').map(({ row }) => row.id);
  const runIds = rows.all('run').map(({ row }) => row.id);
  const present = <T>(found: readonly (T | null)[]): T[] => found.filter((row) => row !== null);
  const row = await store.conversation(conversationId);
  const workflows = present(await Promise.all(workflowIds.map((id) => store.workflow(id))));
  const runs = present(await Promise.all(runIds.map((id) => store.run(id))));
  const lists = await Promise.all(runIds.map((id) => store.entriesOf(id)));
  const messages = lists.flatMap((list, at) => list.map((entry) => ({ id: `${runIds[at]},${entry.n}`, ...entry })));
  const approvals = await store.approvalsOf(workflowIds);
  return {
    conversation: row!,
    workflows: byKey(workflows, getId),
    runs: byKey(runs, getId),
    entries: byKey(messages, getId),
    calls: byKey(await store.callsOf(runIds), getCallKey),
    approvals: byKey(approvals, ({ request }) => request.id),
    open: (await store.openApprovals()).map(({ request }) => request.id),
    executions: byKey(await store.executionsOf(runIds), getId),
    requests: byKey((await Promise.all(workflowIds.map((id) => store.requestsOf(id)))).flat(), getRequestId),
    notes: byKey(await store.notes(), getNoteKey),
    grants: byKey(await store.grants(), getId),
  };
}

/** Reads the snapshot that a page starts from. */
function readSnapshot(store: Store, seq: number): Promise<Snapshot> {
  return snapshot(store, new OpenMessages(new EventLog(store, () => undefined)), conversationId, seq);
}

/** Returns the page with all entries and calls, as after a person opened each run. */
async function withAllRuns(view: View, store: Store): Promise<View> {
  let loaded = view;
  for (const { id } of view.runs) loaded = withEntries(loaded, id, await store.entriesOf(id));
  return withCalls(loaded, await store.callsOf(view.runs.map(getId)));
}

/** Cuts a list into groups of these sizes. */
function groupsOf<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  const groups: T[][] = [];
  for (let from = 0; from < list.length; from += groups.at(-1)!.length)
    groups.push(list.slice(from, from + sizes[groups.length % sizes.length]!));
  return groups;
}

const plans = fc.array(richPlan, { minLength: 1, maxLength: 2 });
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 });

/** A history with each extra, cut before a change of a call that has ended. */
const fullPlan: Plan = {
  children: [{ agent: 'writer', no: false, turns: 2, text: 'x', outcome: 'completed' }],
  outcome: 'completed',
  resumed: true,
  extras: everyExtra,
};
const fullCut = eventsOf([fullPlan]).findIndex(({ type }) => type === 'change-undo');

test('a page has the rows of the projection', () => {
  const run = (some: Plan[], groups: number[]) => {
    const events = eventsOf(some);
    let view = viewBefore(conversation.row);
    for (const group of groupsOf(events, groups)) view = reduce(view, group);
    expect(rowsOnPage(view)).toEqual(pageRowsIn(memoryRows(events), events.length));
  };
  fc.assert(fc.property(plans, sizes, run), { ...samples(40), examples: [[[fullPlan], [7]]] });
});

test('the store, a recovery and a reloaded page have the rows of the projection', async () => {
  const run = async (some: Plan[], groups: number[], cut: number) => {
    const events = eventsOf(some);
    const [opened, other] = [await openOn('mem'), await openOn('mem')];
    const journal = await mkdtemp(join(folder, 'journal-'));
    const own = { ...opened.database, close: () => Promise.resolve() };
    const { store, recover } = storeOn(own, { mode: { kind: 'behind', journal } });
    await recover();
    try {
      await store.commit([conversation]);
      const first = cut % (events.length + 1);
      for (const group of groupsOf(events.slice(0, first), groups)) await store.commit(eventItems(group));
      const early = await rowsInStore(store, memoryRows(events.slice(0, first)));
      expect(early, 'before all events').toEqual(rowsInMemory(memoryRows(events.slice(0, first))));
      const halfway = await readSnapshot(store, first);
      for (const group of groupsOf(events.slice(first), groups)) await store.commit(eventItems(group));

      const rows = memoryRows(events);
      const expected = rowsInMemory(rows);
      expect(await rowsInStore(store, rows), 'before a flush').toEqual(expected);
      await store.settled();
      expect(await rowsInStore(store, rows), 'after a flush').toEqual(expected);
      const onPage = pageRowsIn(rows, events.length);
      // Some events arrive twice.
      const reloaded = await withAllRuns(attach(halfway, events.slice(Math.max(0, first - 3))), store);
      expect(rowsOnPage(reloaded), `a page that was loaded after event ${first}`).toEqual(onPage);
      const newest = await withAllRuns(attach(await readSnapshot(store, events.length), []), store);
      expect(rowsOnPage(newest), 'a page that is loaded now').toEqual(onPage);
      expect(await rowsInStore(await rebuilt(store, other.store), rows), 'after a recovery').toEqual(expected);
    } finally {
      await store.close();
      await opened.close();
      await other.close();
    }
  };
  await fc.assert(fc.asyncProperty(plans, sizes, fc.nat(500), run), {
    ...samples(3, 20),
    examples: [[[fullPlan], [7], fullCut]],
  });
});

/** Fields of rows that no event fills. */
const FIELDS_WITHOUT_EVENT: ReadonlySet<string> = new Set([
  ...['conversation.firstTitle', 'conversation.pinned', 'conversation.deletedAt', 'conversation.from'],
]);

test('the generated histories contain every event type and fill every row field', () => {
  const histories = fc.sample(plans, { numRuns: 60, seed: 1 }).map(eventsOf);
  const types = new Set(histories.flat().map(({ type }) => type));
  const rows = histories.map(memoryRows);
  const filled = new Set<string>();
  for (const all of rows)
    for (const table of Object.keys(SHAPES) as (keyof typeof SHAPES)[])
      for (const { row } of all.all(table))
        for (const [field, value] of Object.entries(row))
          if (value !== undefined && value !== null) filled.add(`${table}.${field}`);
  const fields = Object.entries(SHAPES).flatMap(([table, { shape }]) =>
    Object.keys(shape).map((field) => `${table}.${field}`),
  );
  expect(fields.filter((field) => !filled.has(field) && !FIELDS_WITHOUT_EVENT.has(field))).toEqual([]);
  expect(DurableEvent.options.map(({ shape }) => shape.type.value).filter((type) => !types.has(type))).toEqual([]);
});

const SHAPES = {
  conversation: ConversationRow,
  workflow: WorkflowRow,
  run: RunRow,
  tool_call: ToolCallRow,
  approval: Approval,
  model_request: RequestUsage,
  sub_agent_execution: SubAgentExecution.omit({ id: true }),
  memory: MemoryNote,
  permission_grant: Grant,
} satisfies Partial<Record<Table, z.ZodObject>>;
