/**
 * What is missing of a conversation: the numbers of its events are held against what the rows say, and what the events
 * tell (entries, calls, requests, runs, approvals) against what the readers of the store give. The one place that knows,
 * for all who show a history, copy it or write from it.
 */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Missing } from '#contract/missing.ts';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';
import { apply } from './apply.ts';
import { type Gap, gapsIn, sizeOf } from './rows/dense.ts';
import type { Key, Store, Table } from './store.ts';

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
  | 'isAsSealed'
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

/** Everything stored of a conversation, newest first; one workflow is in memory at a time. */
export async function checkConversation(reads: Reads, conversationId: string, take?: Take): Promise<Checked> {
  const checked: Checked = { workflows: 0, events: 0, missing: [] };
  const ranges: Gap[] = [];
  const listed = new Set<string>();
  // What cannot be read at all counts as not there.
  const last = await reads.lastSeq(conversationId).catch(() => 0);
  for (let before: string | null | undefined; before !== null;) {
    const page = await reads
      .workflows({ conversationId, limit: PAGE, before })
      .catch(() => ({ items: [], next: null }));
    for (const workflow of page.items) {
      const found = await checkWorkflow(reads, workflow, take);
      checked.missing.push(...found.missing);
      checked.events += found.events;
      listed.add(workflow.id);
      ranges.push({ from: workflow.firstSeq, to: found.lastSeq });
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
  }: { conversationId: string; ranges: readonly Gap[]; last: number; listed: ReadonlySet<string>; checked: Checked },
): Promise<Missing[]> {
  const missing: Missing[] = [];
  const lost = new Set<string>();
  for (const gap of uncovered(ranges, last)) {
    const gaps = await eachEvent(reads, conversationId, gap, (event) => {
      checked.events += 1;
      if (event.type === 'workflow-start' && !listed.has(event.workflowId)) lost.add(event.workflowId);
    });
    if (gaps.length > 0)
      missing.push({ ...nowhere(conversationId), kind: 'events', count: sizeOf(gaps), ranges: gaps });
  }
  for (const workflowId of lost)
    missing.push({ kind: 'workflows', conversationId, workflowId, runId: null, count: 1, ranges: [] });
  return missing;
}

const nowhere = (conversationId: string) => ({ conversationId, workflowId: null, runId: null });

function uncovered(ranges: readonly Gap[], last: number): Gap[] {
  const sorted = ranges.toSorted((a, b) => a.from - b.from);
  const gaps: Gap[] = [];
  let next = 1;
  for (const { from, to } of sorted) {
    if (from > next) gaps.push({ from: next, to: from - 1 });
    next = Math.max(next, to + 1);
  }
  if (next <= last) gaps.push({ from: next, to: last });
  return gaps;
}

/** Calls `take` for each event of the range, a step at a time; returns the numbers that are missing. */
async function eachEvent(
  reads: Reads,
  conversationId: string,
  { from, to }: Gap,
  take: (event: DurableEvent) => void,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  for (let first = from; first <= to; first += STEP) {
    const end = Math.min(to, first + STEP - 1);
    const found = await reads.events(conversationId, first, end);
    for (const event of found) take(event);
    for (const gap of gapsIn(
      found.map(({ seq }) => seq),
      first,
      end,
    )) {
      const before = gaps.at(-1);
      if (before?.to === gap.from - 1) before.to = gap.to;
      else gaps.push(gap);
    }
  }
  return gaps;
}

/** Everything stored of one workflow; `events`: how many were looked at, up to `lastSeq`. */
async function checkWorkflow(
  reads: Reads,
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
  if (gaps.length > 0) missing.push({ ...at, kind: 'events', count: sizeOf(gaps), ranges: gaps });
  const add = (kind: Missing['kind'], count: number, runId: string | null = null, ranges: Gap[] = []): void => {
    if (count > 0) missing.push({ ...at, runId, kind, count, ranges });
  };
  if (gaps.length === 0 && outcome !== null && (await reads.isAsSealed(workflow).catch(() => null)) === false)
    add('altered', events, null, [{ from: firstSeq, to: lastSeq }]);
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
    add('entries', lost.length, runId, rangesOf(lost));
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

/** The rows below those of the runs. Approvals are not asked for where all events are there and none names one. */
async function rowsOf(
  reads: Reads,
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
    for (const { kind, table, key } of apply(event)) {
      if (kind === 'delete') continue;
      if (table === 'message' && typeof key !== 'string') {
        const [runId, n] = key;
        this.entries.set(runId, (this.entries.get(runId) ?? new Set()).add(Number(n)));
      } else this.#keys.set(table, (this.#keys.get(table) ?? new Set()).add(textOf(key)));
    }
  }
}

function textOf(key: Key): string {
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

function rangesOf(numbers: readonly number[]): Gap[] {
  const ranges: Gap[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}
