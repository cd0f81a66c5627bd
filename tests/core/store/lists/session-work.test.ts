/** A list of sessions tells of all their workflows, sub-agents and stages, in a few queries for hundreds of sessions. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SessionWork } from '#contract/view.ts';
import { newId } from '#core/base/ids.ts';
import { ENGINES } from '../engines.ts';
import { openRuntime } from '../open-runtime.ts';
import { conversationRow, openOn, type Opened, openStoreOn, put, runRow, workflowRow } from '../support.ts';

/** More than are read in one step. */
const SESSIONS = 60;

describe.each(ENGINES)('on %s', (engine) => {
  let opened: Opened;
  beforeAll(async () => void (opened = await openOn(engine)));
  afterAll(() => opened.close());

  test('returns the workflows and sub-agents of each session in order, and none for an unknown session', async () => {
    const { database } = opened;
    let queries = 0;
    const query = (sql: string, values?: Record<string, unknown>) => {
      queries += 1;
      return database.query(sql, values);
    };
    // Methods of a class: not its own properties.
    const counting = Object.assign(Object.create(database) as typeof database, { query });
    const store = openStoreOn(counting);
    const { request, close } = await openRuntime(store);
    onTestFinished(close);
    const conversations = Array.from({ length: SESSIONS }, () => conversationRow());
    const expected = conversations.map(({ id: conversationId }, index): [SessionWork, ReturnType<typeof put>[]] => {
      const workflows = Array.from({ length: index % 3 }, () => {
        const workflow = workflowRow({ conversationId, status: 'completed', outcome: 'completed', subAgentCount: 1 });
        const ids = { conversationId, workflowId: workflow.id };
        const lead = runRow({ ...ids, id: workflow.runId });
        const [one, two] = [
          runRow({ ...ids, parentRunId: lead.id, kind: 'spawn', agent: 'one' }),
          runRow({ ...ids, kind: 'chain', agent: 'two' }),
        ] as const;
        const children = [one, { ...two, parentRunId: one.id }];
        // What a coagent did is part of the run that it serves.
        const coagent = runRow({ ...ids, parentRunId: lead.id, kind: 'coagent', agent: 'critic' });
        return { workflow, runs: [lead, ...children, coagent], children };
      });
      const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 };
      const work = workflows.map(({ workflow: { id, outcome, status, startedAt, subAgentCount }, children }) => ({
        id,
        outcome,
        status,
        startedAt,
        subAgentCount,
        usage,
        subAgents: children.map(({ id: runId, agent, kind, ...run }) => ({
          runId,
          agent,
          kind,
          status: run.status,
          outcome: run.outcome,
          durationMs: run.durationMs,
          usage,
        })),
      }));
      const rows = workflows.flatMap(({ workflow, runs }) => [
        put('workflow', workflow),
        ...runs.toReversed().map((run) => put('run', run)),
      ]);
      return [{ conversationId, workflows: work }, rows];
    });
    await store.commit([
      ...conversations.map((row) => put('conversation', row)),
      ...expected.flatMap(([, rows]) => rows),
    ]);
    await request('conversation.delete', { conversationId: conversations[2]!.id });
    queries = 0;
    const unknown = newId();
    const conversationIds = [...conversations.map(({ id }) => id), unknown];
    const found = await request('conversation.work', { conversationIds });
    expect(found).toEqual([...expected.map(([work]) => work), { conversationId: unknown, workflows: [] }]);
    expect(queries, 'far fewer than sessions').toBeLessThan(10);
  });
});
