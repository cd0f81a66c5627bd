/** Kill -9 while a response still comes that was acted upon: what was complete of it is kept, and it is not asked for again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type KillPoint, killAfterEach, live } from '../../../support/crash.ts';
import { CHILD, LEAD, reportOf, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { type FakeModel, startFakeModel } from '../../../support/fake-model/server.ts';
import { chunksOf } from '../../../support/fake-model/stream.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-early-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

/** The lead writes on until its sub-agent has reported. */
async function start(): Promise<FakeModel> {
  const begun = [text('I ask one.'), spawn({ name: 'alpha', prompt: 'Inspect part alpha.' })];
  const after = chunksOf(begun, {}, 0, () => 'id').length - 1;
  const until = (): Promise<unknown> =>
    model.waitFor(({ seen }) => seen.prompt.includes('alpha') && seen.turn === 2, 60_000);
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([...begun, text('And I write on.')], { name: 'lead asks', hold: { after, until } })
    .on({ ...CHILD, turn: 1 })
    .reply([toolUse('list_directory', { path: '.' })], { name: 'child looks' })
    .on(CHILD)
    .reply([text(reportOf('part alpha'))], { name: 'child reports' })
    .on(LEAD)
    .reply(({ results }) => [text(results.map((result) => result.text).join('\n'))], {
      name: 'lead answers',
    });
  const model = await startFakeModel(script);
  return model;
}

/** From the first part that was recorded to the end of the message. */
function moments(events: readonly DurableEvent[]): DurableEvent[] {
  const lead = events.filter(({ parentRunId }) => parentRunId === null);
  const first = lead.find(({ type }) => type === 'message-part')?.seq ?? 0;
  const end = lead.find((event) => event.type === 'message-end' && event.entry.kind === 'assistant')?.seq ?? 0;
  return events.filter(({ seq }) => seq >= first && seq <= end);
}

async function pointAt(seq: number): Promise<KillPoint> {
  const model = await start();
  const check: KillPoint['check'] = ({ end, events, runs }) => {
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(end.outcome, `resumed after ${seq}`).toBe('completed');
    expect(end.text).toContain('Report: part alpha');
    expect(runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(events.filter(({ type }) => type === 'approval-request')).toHaveLength(1);

    const stored = events.slice(0, seq);
    const acted = stored.some(
      (event) => event.type === 'message-part' && event.value.type === 'tool_use' && event.parentRunId === null,
    );
    const asked = model.requests.filter(({ rule }) => rule === 'lead asks');
    expect(asked, `the response is final once its call is stored: ${seq}`).toHaveLength(acted ? 1 : 2);
    const entries = events.flatMap((event) =>
      (event.type === 'message-end' || event.type === 'tool-end') && event.parentRunId === null ? [event.entry] : [],
    );
    expect(entries.map(({ n }) => n).sort((a, b) => a - b)).toEqual(entries.map((_, index) => index));
    const done = stored.some((event) => event.type === 'run-end' && event.outcome === 'completed');
    expect(
      model.requests.filter(({ rule }) => rule === 'child reports').length,
      `paid once: ${seq}`,
    ).toBeLessThanOrEqual(done ? 1 : 2);
    model.expectDone();
  };
  return { model, life: { data: join(root, `at-${seq}`), folder: root }, check };
}

test(
  'resumes after kills at durable events during a response whose calls already run',
  { timeout: 600_000 },
  async () => {
    const model = await start();
    const whole = await live({
      mode: 'start',
      data: join(root, 'whole'),
      url: model.url,
      folder: root,
      groupSize: 1,
    });
    await model.close();
    const during = moments(whole?.events ?? []);
    expect(during.length).toBeGreaterThan(15);
    // Within the turns of a sub-agent others kill.
    await killAfterEach(during, pointAt, ({ parentRunId, type }) => parentRunId === null || type.startsWith('run-'));
  },
);
