/**
 * What is missing of a conversation: the numbers of its events are held against what the rows say, and what the events
 * tell (entries, calls, requests, runs, approvals) against what the readers of the store give. The one place that knows,
 * for all who show a history, copy it or write from it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowKey, RowPlace, Table } from '#contract/rows.ts';
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Missing } from '#contract/missing.ts';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { project } from '#domain/project.ts';
import { type NumberRange, Ranges, countNumbers } from './rows/ranges.ts';
import type { Store } from './store.ts';

type Reads = Pick<
  Store,
  | 'conversation'
  | 'workflows'
  | 'workflow'
  | 'lastSeq'
  | 'events'
  | 'runsOf'
  | 'run'
  | 'recordsOf'
  | 'approvalsOf'
  | 'approval'
  | 'executionsOf'
>;

/** What was looked at and what of it is missing. */
export interface Checked {
  workflows: number;
  events: number;
  missing: Missing[];
}

/** What was read of a workflow on the way. */
export interface WorkflowRows {
  workflow: WorkflowRow;
  /** In order of creation. */
  runs: readonly RunRow[];
  /** Of all runs, each run's in order. */
  calls: readonly ToolCallRow[];
  approvals: readonly Approval[];
  /** By run id, in order; a run of which no entry is known may be left out. */
  entries: ReadonlyMap<string, readonly Entry[]>;
}

/** Gets each workflow when it has been checked, so that nobody has to read it again; null where a list cannot be read. */
type Take = (workflowId: string, read: WorkflowRows | null) => void;

/** Events read at once, and workflows of one page. */
const STEP = 500;
const PAGE = 100;

/** Everything stored of a conversation, newest first; few workflows are in memory at a time. */
export async function checkConversation(reads: Reads, conversationId: string, take?: Take): Promise<Checked> {
  const checked: Checked = { workflows: 0, events: 0, missing: [] };
  const ranges: NumberRange[] = [];
  const listed = new Set<string>();
  // What cannot be read at all counts as not there.
  const last = await reads.lastSeq(conversationId).catch(() => 0);
  for (let before: string | null | undefined; before !== null;) {
    const page = await reads
      .workflows({ conversationId, limit: PAGE, before })
      .catch(() => ({ items: [], next: null }));
    for (const some of splitIntoBatches(page.items)) {
      const ahead = await readAhead(reads, conversationId, some);
      for (const workflow of some) {
        // A batch is read at once. Other work gets a turn before each of its workflows is checked and rendered.
        await nextTurn();
        const found = await checkWorkflow(ahead, workflow, take);
        checked.missing.push(...found.missing);
        checked.events += found.events;
        listed.add(workflow.id);
        ranges.push({ from: workflow.firstSeq, to: found.lastSeq });
      }
    }
    before = page.next;
  }
  checked.workflows = listed.size;
  if ((await reads.conversation(conversationId).catch(() => null)) === null)
    checked.missing.push({ ...nowhere(conversationId), kind: 'rows', count: 1, ranges: [] });
  checked.missing.push(...(await between(reads, { conversationId, ranges, last, listed, checked })));
  return checked;
}

/** Everything stored of these workflows. */
export async function checkWorkflows(reads: Reads, workflowIds: readonly string[], take?: Take): Promise<Checked> {
  const checked: Checked = { workflows: 0, events: 0, missing: [] };
  for (const id of workflowIds) {
    const workflow = await reads.workflow(id);
    if (!workflow) continue;
    const { events, missing } = await checkWorkflow(reads, workflow, take);
    checked.workflows += 1;
    checked.events += events;
    checked.missing.push(...missing);
  }
  return checked;
}

/** Events that lie in no workflow that the store lists: few, unless a workflow is not listed. */
async function between(
  reads: Reads,
  {
    conversationId,
    ranges,
    last,
    listed,
    checked,
  }: {
    conversationId: string;
    ranges: readonly NumberRange[];
    last: number;
    listed: ReadonlySet<string>;
    checked: Checked;
  },
): Promise<Missing[]> {
  const missing: Missing[] = [];
  const lost = new Set<string>();
  const covered = new Ranges();
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) covered.add(from, to);
  for (const gap of covered.gaps(1, last)) {
    const gaps = await eachEvent(reads, conversationId, gap, (event) => {
      checked.events += 1;
      if (event.type === 'workflow-start' && !listed.has(event.workflowId)) lost.add(event.workflowId);
    });
    if (gaps.length > 0)
      missing.push({ ...nowhere(conversationId), kind: 'events', count: countNumbers(gaps), ranges: gaps });
  }
  for (const workflowId of lost)
    missing.push({ kind: 'workflows', conversationId, workflowId, runId: null, count: 1, ranges: [] });
  return missing;
}

const nowhere = (conversationId: string) => ({ conversationId, workflowId: null, runId: null });

/** The reads of `checkWorkflow`. */
type WorkflowReads = Pick<
  Reads,
  'lastSeq' | 'events' | 'runsOf' | 'run' | 'recordsOf' | 'approvalsOf' | 'approval' | 'executionsOf'
>;

/** Ended workflows with few events are read together, because each read costs more than what it returns. */
function splitIntoBatches(workflows: readonly WorkflowRow[]): WorkflowRow[][] {
  const batches: WorkflowRow[][] = [];
  let room = 0;
  for (const workflow of workflows) {
    const size = workflow.outcome === null ? STEP : Math.max(1, workflow.lastSeq - workflow.firstSeq + 1);
    const last = batches.at(-1);
    if (last && size <= room) last.push(workflow);
    else batches.push([workflow]);
    room = (last && size <= room ? room : STEP) - size;
  }
  return batches;
}

/** Reads the events, runs and records of a batch together. If such a read fails, each workflow is read by itself. */
async function readAhead(
  reads: Reads,
  conversationId: string,
  workflows: readonly WorkflowRow[],
): Promise<WorkflowReads> {
  if (workflows.length === 1) return reads;
  const [from, to] = [
    Math.min(...workflows.map(({ firstSeq }) => firstSeq)),
    Math.max(...workflows.map(({ lastSeq }) => lastSeq)),
  ];
  const [events, runs] = await Promise.all([
    to - from < 2 * STEP ? reads.events(conversationId, from, to).catch(() => null) : null,
    reads.runsOf(workflows.map(({ id }) => id)).catch(() => null),
  ]);
  const records = runs && (await reads.recordsOf(runs, ['entries', 'calls', 'requests']).catch(() => null));
  return {
    lastSeq: (id) => reads.lastSeq(id),
    run: (id) => reads.run(id),
    approvalsOf: (ids) => reads.approvalsOf(ids),
    approval: (id) => reads.approval(id),
    executionsOf: (ids) => reads.executionsOf(ids),
    events: async (id, first, last) =>
      events?.filter(({ seq }) => seq >= first && seq <= last) ?? reads.events(id, first, last),
    runsOf: async (ids) => runs?.filter(({ workflowId }) => ids.includes(workflowId)) ?? reads.runsOf(ids),
    recordsOf: async (some, kinds) => {
      const ids = new Set(some.map(({ id }) => id));
      const hasAll = some.every(({ id, entries }) => (records?.entries.get(id)?.length ?? -1) >= (entries ?? 0));
      if (!records || !hasAll) return reads.recordsOf(some, kinds);
      return {
        entries: new Map([...records.entries].filter(([id]) => ids.has(id))),
        calls: records.calls.filter(({ runId }) => ids.has(runId)),
        requests: records.requests.filter(({ runId }) => ids.has(runId)),
      };
    },
  };
}

/** Calls `take` for each event of the range, a step at a time; returns the numbers that are missing. */
async function eachEvent(
  reads: Pick<Reads, 'events'>,
  conversationId: string,
  { from, to }: NumberRange,
  take: (event: DurableEvent) => void,
): Promise<NumberRange[]> {
  const found = new Ranges();
  for (let first = from; first <= to; first += STEP)
    for (const event of await reads.events(conversationId, first, Math.min(to, first + STEP - 1))) {
      found.add(event.seq);
      take(event);
    }
  return found.gaps(from, to);
}

/** Everything stored of one workflow; `events`: how many were looked at, up to `lastSeq`. */
async function checkWorkflow(
  reads: WorkflowReads,
  workflow: WorkflowRow,
  take?: Take,
): Promise<{ events: number; lastSeq: number; missing: Missing[] }> {
  const { id, conversationId, firstSeq, lastSeq: stated, outcome, usage, subAgentCount } = workflow;
  // Of one that has not ended the row does not know the newest event yet.
  const lastSeq = outcome === null ? Math.max(stated, await reads.lastSeq(conversationId)) : stated;
  const expected = new Expected();
  let events = 0;
  const gaps = await eachEvent(reads, conversationId, { from: firstSeq, to: lastSeq }, (event) => {
    events += 1;
    if (event.workflowId === id) expected.take(event);
  });
  const at = { conversationId, workflowId: id, runId: null };
  const missing: Missing[] = [];
  if (gaps.length > 0) missing.push({ ...at, kind: 'events', count: countNumbers(gaps), ranges: gaps });
  const add = (kind: Missing['kind'], count: number, runId: string | null = null, ranges: NumberRange[] = []): void => {
    if (count > 0) missing.push({ ...at, runId, kind, count, ranges });
  };
  const listed = await reads.runsOf([id]).catch(() => null);
  for (const run of listed ?? []) expected.state(run);
  const runs = await idsOf(listed, expected.of('run'), (run) => reads.run(run));
  // Where events are missing too, what the row of the workflow states is all that is known.
  add('runs', Math.max(without(expected.of('run'), runs), Math.min(1, subAgentCount) + subAgentCount - runs.size));
  const { entries, calls, made, approvals, executed } = await rowsOf(reads, id, {
    expected,
    runs,
    isDense: gaps.length === 0,
  });
  for (const [runId, wanted] of expected.entries) {
    const has = new Set(entries.get(runId)?.map(({ n }) => n));
    const lost = [...wanted].filter((n) => !has.has(n)).sort((a, b) => a - b);
    add('entries', lost.length, runId, new Ranges(lost).all);
  }
  add('calls', without(expected.of('tool_call'), new Set(calls.map((call) => `${call.runId} ${call.toolCallId}`))));
  const requests = new Set(made.map(({ requestId }) => `${id} ${requestId}`));
  add('requests', Math.max(without(expected.of('model_request'), requests), usage.requests - requests.size));
  const asked = approvals?.map(({ request }) => request) ?? null;
  add(
    'approvals',
    without(expected.of('approval'), await idsOf(asked, expected.of('approval'), (key) => reads.approval(key))),
  );
  add('rows', without(expected.of('sub_agent_execution'), new Set(executed.map(({ id: run }) => run))));
  take?.(id, listed && approvals ? { workflow, runs: listed, calls, approvals, entries } : null);
  return { events, lastSeq, missing };
}

/** The rows below those of the runs. Approvals are not read where all events are there and none names one. */
async function rowsOf(
  reads: WorkflowReads,
  workflowId: string,
  { expected, runs, isDense }: { expected: Expected; runs: ReadonlySet<string>; isDense: boolean },
) {
  const ids = expected.of('run').union(runs).union(new Set(expected.entries.keys()));
  const all = [...ids].map((run) => ({ id: run, workflowId, entries: expected.entries.get(run)?.size ?? 0 }));
  const [{ entries, calls, requests }, approvals, executed] = await Promise.all([
    reads.recordsOf(all, ['entries', 'calls', 'requests']),
    isDense && expected.of('approval').size === 0 ? [] : reads.approvalsOf([workflowId]).catch(() => null),
    reads.executionsOf([...expected.of('sub_agent_execution')]),
  ]);
  return { entries, calls, made: requests, approvals, executed };
}

/** The rows that the events make, by table. */
class Expected {
  readonly #keys = new Map<Table, Set<string>>();
  /** Numbers of entries by run. */
  readonly entries = new Map<string, Set<number>>();

  of(table: Table): ReadonlySet<string> {
    return this.#keys.get(table) ?? new Set();
  }

  /** Takes what the row of an ended run says of its entries. */
  state({ id, entries, outcome }: RunRow): void {
    if (outcome === null || !entries) return;
    const numbers = Array.from({ length: entries }, (_, n) => n);
    this.entries.set(id, new Set([...(this.entries.get(id) ?? []), ...numbers]));
  }

  take(event: DurableEvent): void {
    // The rows that the event changes are expected too, even if the events that created them cannot be read.
    const changed: RowPlace[] = [];
    const reader = { get: (table: Table, key: RowKey) => (changed.push({ table, key }), null) };
    const made = project(reader, event).filter(({ row }) => row !== null);
    for (const { table, key } of [...made, ...changed]) this.#add(table, key);
  }

  #add(table: Table, key: RowKey): void {
    if (table === 'message' && typeof key !== 'string') {
      const [runId, n] = key;
      this.entries.set(runId, (this.entries.get(runId) ?? new Set()).add(Number(n)));
    } else this.#keys.set(table, (this.#keys.get(table) ?? new Set()).add(formatKey(key)));
  }
}

function formatKey(key: RowKey): string {
  return typeof key === 'string' ? key : key.join(' ');
}

function without(expected: ReadonlySet<string>, found: ReadonlySet<string>): number {
  return [...expected].filter((key) => !found.has(key)).length;
}

/** Ids of what a list gives; where it cannot be read (null), of those that can be read one by one. */
async function idsOf(
  list: readonly { id: string }[] | null,
  expected: ReadonlySet<string>,
  one: (id: string) => Promise<unknown>,
): Promise<Set<string>> {
  if (list) return new Set(list.map(({ id }) => id));
  const ids = [...expected];
  const found = await Promise.all(
    ids.map((id) =>
      one(id).then(
        (row) => row !== null,
        () => false,
      ),
    ),
  );
  return new Set(ids.filter((_, index) => found[index]));
}
