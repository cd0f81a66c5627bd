/** Kill -9 around the use of a grant: no more calls than it allows, no call without a yes, and no answer asked for twice. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type KillPoint, killAfterEach, live } from '../../support/crash.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { type FakeModel, startFakeModel } from '../../support/fake-model/server.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-grants-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

const FILES = ['one.md', 'two.md', 'three.md'];
/** For the second file; the third is asked about again. */
const grant = { scope: 'conversation', pattern: '*.md', calls: 1 } as const;

function start(): Promise<FakeModel> {
  const script = new Script();
  FILES.forEach((path, index) =>
    script.on({ step: index + 1 }).reply([toolUse('write_file', { path, content: `This is ${path}.` })]),
  );
  return startFakeModel(script.on({}).reply([text('Done.')]));
}

type Of<T extends DurableEvent['type']> = Extract<DurableEvent, { type: T }>;
const only = <T extends DurableEvent['type']>(events: readonly DurableEvent[], type: T): Of<T>[] =>
  events.filter((event): event is Of<T> => event.type === type);

/** From the first yes to the start of the write that the grant answers for. */
function moments(events: readonly DurableEvent[]): DurableEvent[] {
  const first = only(events, 'approval-decide')[0]?.seq ?? 0;
  const last = only(events, 'tool-start')[1]?.seq ?? 0;
  return events.filter(({ seq }) => seq >= first && seq <= last);
}

async function pointAt(seq: number): Promise<KillPoint> {
  const model = await start();
  const folder = join(root, `at-${seq}`);
  await mkdir(folder);
  const check: KillPoint['check'] = async ({ end, events }) => {
    expect(end.outcome).toBe('completed');
    const used = only(events, 'grant-change').filter(({ change }) => change === 'used');
    const byGrant = only(events, 'approval-decide').filter(({ decision }) => decision.ruleId?.startsWith('grant:'));
    // If the kill loses the answer of the first grant, the person is asked again and gives another one.
    for (const uses of Map.groupBy(used, (event) => event.grant.id).values())
      expect(uses.length, 'counted no more often than it allows').toBeLessThanOrEqual(grant.calls);
    expect(byGrant.length, 'answered no more often than it was counted').toBeLessThanOrEqual(used.length);
    const requests = only(events, 'approval-request');
    expect(new Set(requests.map(({ approval }) => approval.toolCallId)).size, 'no question is asked twice').toBe(
      requests.length,
    );
    for (const { seq: started, toolCallId } of only(events, 'tool-start')) {
      const request = requests.find(({ approval }) => approval.toolCallId === toolCallId);
      const yes = only(events, 'approval-decide').find(
        ({ approvalId, decision }) => approvalId === request?.approval.id && decision.allowed,
      );
      expect(yes?.seq, `a yes before ${toolCallId} starts`).toBeLessThan(started);
    }
    const starts = only(events, 'tool-start').map(({ toolCallId }) => toolCallId);
    expect(new Set(starts).size, 'no write is made twice').toBe(starts.length);
    const interrupted = only(events, 'tool-end').filter(({ entry }) => entry.output.includes('outcome unknown'));
    // What was started at the very moment of the kill is told to the model, and not done again.
    expect(interrupted.length).toBeLessThanOrEqual(1);
    for (const path of FILES.slice(interrupted.length === 0 ? 0 : FILES.length))
      expect(await readFile(join(folder, path), 'utf8')).toBe(`This is ${path}.`);
  };
  return { model, life: { data: join(root, `store-${seq}`), folder, grant }, check };
}

test(
  'after a kill a grant allows no extra call and no approval is requested twice; the full run tests more kills',
  { timeout: 300_000 },
  async () => {
    const model = await start();
    const folder = join(root, 'whole');
    await mkdir(folder);
    const life = { data: join(root, 'store'), url: model.url, folder, grant };
    const whole = await live({ mode: 'start', ...life, groupSize: 1 });
    await model.close();
    const events = whole?.events ?? [];
    const deciders = only(events, 'approval-decide').map(({ decision }) => decision.ruleId !== null);
    expect(deciders, 'the grant answers for the second').toEqual([false, true, false]);
    const around = moments(events);
    expect(around.length).toBeGreaterThan(10);
    // Between the decisions and what follows from them; within turns others kill.
    await killAfterEach(around, pointAt, ({ type }) => /^(approval|grant|tool)-/.test(type));
  },
);
