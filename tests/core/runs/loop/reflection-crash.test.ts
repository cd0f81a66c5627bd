/** Kill -9 after events around an agent's reviews: no review twice, no try lost, and the one that was under way is counted. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type KillPoint, killAfterEach, live, liveUntil } from '../../../support/crash.ts';
import { Script, text } from '../../../support/fake-model/script.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { CHECKER, checkerFile, reflecting, REVIEWER, verdict } from '../../../support/fake-model/reflecting.ts';
import { trustFile } from '../../../support/trusted.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-review-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

const folder = join(root, 'workspace');
await mkdir(dirname(join(folder, CHECKER)), { recursive: true });
await writeFile(join(folder, CHECKER), checkerFile({ maxRetries: 1 }));
await trustFile(folder, folder, CHECKER, checkerFile({ maxRetries: 1 }));

const script = () =>
  reflecting({
    answers: ['first', 'second'],
    reviews: { first: ['unreadable', verdict(false, 40, 'No line.')], second: verdict(true, 90) },
  });

/** What is stored where nothing is killed. */
const whole = await (async () => {
  const model = await startFakeModel(script());
  const data = join(root, 'whole');
  const result = await live({ mode: 'start', data, url: model.url, folder, groupSize: 1 });
  await model.close();
  return result?.events ?? [];
})();
const ofChild = whole.filter(({ parentRunId }) => parentRunId !== null);
/** The first review is sent. */
const reviews = whole.filter((event) => event.type === 'request-start' && event.purpose === 'review');
const sent = reviews[0]?.seq;

const scores = (events: readonly DurableEvent[]) =>
  events.flatMap((event) =>
    event.type === 'message-end' && event.entry.kind === 'system' && event.entry.review
      ? [event.entry.review.verdict?.score ?? null]
      : [],
  );

async function pointAt(killAfter: number): Promise<KillPoint> {
  const model = await startFakeModel(script());
  const check: KillPoint['check'] = ({ end, events, runs }, before) => {
    const where = `killed after ${killAfter}: ${events[killAfter - 1]?.type}`;
    expect(end.outcome, where).toBe('completed');
    const child = runs.find(({ parentRunId }) => parentRunId !== null);
    expect(child, where).toMatchObject({ outcome: 'completed', text: 'second' });
    // What cannot be read is said only once: where it was lost with its process, a readable one takes its place.
    expect(
      scores(events).filter((score) => score !== null),
      where,
    ).toEqual([40, 90]);
    expect(child?.reviews?.length, where).toBe(scores(events).length);
    const stored = scores(events.slice(0, killAfter)).length;
    const asked = model.requests.slice(before).filter(({ seen }) => REVIEWER.test(seen.system));
    expect(asked.length, `${where}: no stored review is asked for again`).toBeLessThanOrEqual(3 - stored);
  };
  return { model, life: { data: join(root, `at-${killAfter}`), folder }, check };
}

test(
  'resumes after kills at events from the first review on, without a repeated review',
  { timeout: 300_000 },
  async () => {
    expect(scores(whole)).toEqual([null, 40, 90]);
    const kills = ofChild.filter(({ seq }) => seq >= (sent ?? Infinity) - 1);
    expect(kills.length).toBeGreaterThan(15);
    await killAfterEach(kills, pointAt);
  },
);

test('a kill during a review counts the interrupted request and repeats the review', async () => {
  const hanging = new Script()
    .on({ system: REVIEWER })
    .reply([text('{"passed": true')], { hangAfter: 2, usage: { input: 777 }, times: 1 });
  hanging.rules.push(...script().rules);
  const model = await startFakeModel(hanging);
  const life = { data: join(root, 'in-review'), url: model.url, folder };
  // It is told again, with what was counted, when it is answered.
  const answered = 1 + whole.filter((event) => event.type === 'request-start' && event.seq < (sent ?? 0)).length;
  const killAfter = `request-start#${answered + 1}` as const;
  const resume = await liveUntil(killAfter, life);
  const { end, events, runs } = await resume();
  await model.close();

  expect(end.outcome).toBe('completed');
  const child = runs.find(({ parentRunId }) => parentRunId !== null);
  expect(child).toMatchObject({ outcome: 'completed', text: 'second' });
  const counted = events.flatMap((event) =>
    event.type === 'usage' && event.runId === child?.id ? [event.request] : [],
  );
  expect(counted.filter(({ error }) => error?.code === 'interrupted')).toMatchObject([
    { purpose: 'review', inputTokens: 777, reported: false, turn: 0 },
  ]);
  expect(child?.usage.requests).toBe(counted.length);
  const asked = model.requests.filter(({ seen }) => !seen.tools.includes('delegate_task'));
  expect(counted).toHaveLength(asked.length);
});
