/** The read models are a function of the events: stored in groups, one by one or replayed, the rows are the same. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { RunIds } from '#core/log/recorder.ts';
import { apply } from '#core/store/apply.ts';
import type { Write } from '#core/store/store.ts';
import { envelopeOf } from '../../support/envelope.ts';
import {
  approve,
  conversationId,
  conversationRow,
  idOf,
  lead,
  queue,
  Recording,
  requestUsage,
  respond,
  start,
  usageOf,
} from '../../support/recording.ts';
import { openOn, type Opened } from './support.ts';

interface Child {
  agent: string;
  no: boolean;
  turns: number;
  text: string;
  outcome: Outcome;
}
interface Plan {
  children: Child[];
  outcome: Outcome;
  resumed: boolean;
}

const outcome = fc.constantFrom<Outcome[]>('completed', 'partial', 'cancelled', 'timed_out', 'error', 'interrupted');
const plan: fc.Arbitrary<Plan> = fc.record({
  children: fc.array(
    fc.record({
      agent: fc.constantFrom('reviewer', 'writer'),
      no: fc.boolean(),
      turns: fc.nat(3),
      text: fc.string({ unit: 'binary' }),
      outcome,
    }),
    { maxLength: 3 },
  ),
  outcome,
  resumed: fc.boolean(),
});

/** The events of a conversation of workflows, as the engine orders them. */
function eventsOf(plans: readonly Plan[]): DurableEvent[] {
  const recording = new Recording();
  plans.forEach((one, index) => recordWorkflow(recording, one, 100 * (index + 1)));
  return recording.durable;
}

function recordWorkflow(recording: Recording, { children, outcome, resumed }: Plan, ids: number): void {
  const who: RunIds = { ...lead, workflowId: idOf(ids), runId: idOf(ids + 1) };
  const attempts = resumed ? 2 : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    recording.record(who, { type: 'workflow-start', prompt: `\0 ${ids}\nmore`, approve: 'ask', attempt });
    if (attempt === 1) queue(recording, who, { prompt: 'Do it', title: 'Do it' });
    start(recording, who, envelopeOf(who.agent, 'Do it'), attempt);
    if (attempt === 1) recordChildren(recording, who, children, ids);
    const last = attempt === attempts;
    const end = {
      outcome: last ? outcome : 'interrupted',
      text: 'Done',
      error: null,
      durationMs: 12.5,
    } as const;
    recording.record(who, { type: 'run-end', ...end, usage: usageOf() });
    recording.record(who, { type: 'workflow-end', ...end, usage: usageOf(), subAgents: [] });
  }
}

function recordChildren(recording: Recording, who: RunIds, children: readonly Child[], ids: number): void {
  const asked = children.map((child, index) => {
    const its: RunIds = { ...who, runId: idOf(ids + 10 + index), parentRunId: who.runId, agent: child.agent };
    const job = {
      prompt: child.text || 'x',
      title: 't',
      kind: 'spawn',
      toolCallId: 'call',
      item: index,
    } as const;
    return {
      child,
      its,
      runId: its.runId,
      title: 't',
      envelope: queue(recording, its, job),
      no: child.no ? 'no' : null,
    };
  });
  if (asked.length > 0) approve(recording, who, 'spawn', asked);
  for (const { child, its, envelope, no } of asked) {
    if (no === null) start(recording, its, envelope);
    for (let turn = 0; no === null && turn < child.turns; turn++) {
      recording.record(its, {
        type: 'tool-start',
        toolCallId: `c${turn}`,
        name: 'read_file',
        input: child.text,
      });
      recording.result(its, {
        toolCallId: `c${turn}`,
        name: 'read_file',
        status: 'completed',
        output: child.text,
        durationMs: 3,
        metadata: {},
      });
      respond(recording, its, { turn, messageId: idOf(ids + 50 + turn), parts: [], stopReason: 'end_turn' });
    }
    const nanoUsd = child.turns === 2 ? null : 77;
    recording.record(its, { type: 'usage', request: requestUsage(recording, { nanoUsd }) });
    const error = child.outcome === 'error' ? ({ code: 'provider', message: child.text } as const) : null;
    const end = { outcome: no === null ? child.outcome : ('rejected' as const), text: child.text, error };
    recording.record(its, { type: 'run-end', ...end, durationMs: 7, usage: usageOf() });
  }
}

const TABLES = [
  ...['conversation', 'workflow', 'run', 'sub_agent_execution', 'message', 'tool_call'],
  ...['approval', 'model_request', 'open_message'],
];

let opened: Opened;
beforeAll(async () => {
  opened = await openOn('mem');
});
afterAll(() => opened.close());

/** Everything that the tables hold, which is then gone. */
async function drain(): Promise<unknown[]> {
  const { database } = opened;
  const rows = await database.query(TABLES.map((table) => `SELECT * FROM ${table};`).join('\n'));
  await database.query(['event', 'index_queue', ...TABLES].map((table) => `DELETE ${table} RETURN NONE;`).join('\n'));
  return rows.map((found) => JSON.parse(JSON.stringify(found)) as unknown);
}

const conversation: Write = {
  kind: 'put',
  table: 'conversation',
  key: conversationId,
  row: { ...conversationRow() },
};

test('grouped, alone and replayed', async () => {
  const { store } = opened;
  const run = async (plans: Plan[], sizes: number[]) => {
    const events = eventsOf(plans);
    await store.commit([], [conversation]);
    for (let from = 0, group = 0; from < events.length; group++) {
      const some = events.slice(from, from + (sizes[group % sizes.length] ?? 1));
      await store.commit(some, some.flatMap(apply));
      from += some.length;
    }
    expect(await store.lastSeq(conversationId)).toBe(events.length);
    const stored = await store.events(conversationId, 1, events.length);
    expect(stored).toEqual(events);
    const grouped = await drain();

    await store.commit([], [conversation]);
    for (const event of stored) await store.commit([], apply(event));
    const replayed = await drain();
    expect(replayed).toEqual(grouped);

    await store.commit(stored, [conversation, ...stored.flatMap(apply)]);
    expect(await drain()).toEqual(grouped);
  };
  const plans = fc.array(plan, { minLength: 1, maxLength: 3 });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(fc.asyncProperty(plans, sizes, run), { numRuns: 12 });
});

test('totals are the sums of the requests', async () => {
  const { store } = opened;
  const child = { agent: 'writer', no: false, turns: 2, text: 'x', outcome: 'completed' } as const;
  const events = eventsOf([{ children: [child, { ...child, turns: 3 }], outcome: 'completed', resumed: false }]);
  await store.commit(events, [conversation, ...events.flatMap(apply)]);
  const requests = events.flatMap((event) => (event.type === 'usage' ? [event.request] : []));
  const sum = (field: 'inputTokens' | 'outputTokens' | 'nanoUsd') =>
    requests.reduce((total, request) => total + (request[field] ?? 0), 0);
  const usage = {
    requests: requests.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    nanoUsd: sum('nanoUsd'),
    unpriced: 1,
  };
  const [workflow] = (await store.workflows({ limit: 1 })).items;
  expect((await store.conversation(conversationId))?.usage).toMatchObject(usage);
  expect(workflow).toMatchObject({ usage, subAgentCount: 2, agents: ['lead', 'writer'] });
  const runs = await store.runsOf([workflow?.id ?? '']);
  expect(runs.reduce((total, run) => total + run.usage.requests, 0)).toBe(requests.length);
  expect(await store.requestsOf(workflow?.id ?? '')).toHaveLength(requests.length);
  await drain();
});
