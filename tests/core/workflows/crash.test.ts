/** Kill -9 after durable events of a workflow with three children, start again, resume: nothing lost, nothing twice. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type KillPoint, killAfterEach } from '../../support/crash.ts';
import { startEngine } from '../../support/engine.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';

const CHILDREN = ['alpha', 'beta', 'gamma'];

const root = await mkdtemp(join(tmpdir(), 'triad-crash-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

/** Responses that the store has whole. */
function finished(events: readonly DurableEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'message-end' || event.entry.kind !== 'assistant' || event.entry.interrupted) return [];
    return event.entry.responseId === null ? [] : [event.entry.responseId];
  });
}

/**
 * The calls of the lead that the resumed run must have made: all three, unless the process died while the response that
 * made them was acted upon early. Then it is final as it was stored.
 */
function callsAt(before: readonly DurableEvent[]): number {
  const lead = before.filter(({ parentRunId }) => parentRunId === null);
  if (finished(lead).length > 0) return CHILDREN.length;
  const parts = lead.filter((event) => event.type === 'message-part' && event.value.type === 'tool_use');
  return parts.length === 0 ? CHILDREN.length : parts.length;
}

async function pointAt(seq: number): Promise<KillPoint> {
  const model = await startFakeModel(threeChildren());
  const check: KillPoint['check'] = ({ end, events, runs, workflow }, before) => {
    expect(
      events.map((event) => event.seq),
      'numbers are dense',
    ).toEqual(events.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThanOrEqual(seq);
    expect(end.outcome).toBe('completed');
    const names = CHILDREN.slice(0, callsAt(events.slice(0, seq)));
    for (const name of names) expect(end.text).toContain(`Report: part ${name}`);
    expect(end.subAgents.map(({ agent, outcome }) => [agent, outcome])).toEqual(
      names.map((agent) => [agent, 'completed']),
    );
    expect(workflow).toMatchObject({ status: 'completed', subAgentCount: names.length });
    expect(runs.map(({ status }) => status)).toEqual(['lead', ...names].map(() => 'completed'));
    expect(finished(events), 'each response once').toHaveLength(2 + 2 * names.length);
    expect(
      events.filter(({ type }) => type === 'approval-request'),
      'no question is asked again',
    ).toHaveLength(names.length);

    const stored = new Set(finished(events.slice(0, seq)));
    const known = model.requests
      .slice(0, before)
      .filter(({ responseId }) => responseId !== null && stored.has(responseId));
    const bodies = new Set(known.map(({ body }) => JSON.stringify(body.messages) + JSON.stringify(body.system)));
    const repeated = model.requests
      .slice(before)
      .filter(({ body }) => bodies.has(JSON.stringify(body.messages) + JSON.stringify(body.system)));
    expect(
      repeated.map(({ rule }) => rule),
      'no finished request is repeated',
    ).toEqual([]);
    if (names.length === CHILDREN.length) model.expectDone();
  };
  return { model, life: { data: join(root, `at-${seq}`), folder: root }, check };
}

describe('kill -9 and resume of a workflow with three sub-agents', () => {
  test(
    'loses and repeats nothing after a few durable events; in the full run after many',
    { timeout: 600_000 },
    async () => {
      const engine = await startEngine(threeChildren());
      await engine.ask('Look at all parts', 'all');
      const events = engine.durable();
      expect(events.length).toBeGreaterThan(60);
      // What a turn of the lead records after its calls is what one of a sub-agent does, and `crash-early` kills there.
      const lead = /^(tool-(start|end)|usage|message-end)$/;
      await killAfterEach(
        events.slice(0, -1),
        pointAt,
        ({ parentRunId, type }) => parentRunId !== null || !lead.test(type),
      );
    },
  );
});
