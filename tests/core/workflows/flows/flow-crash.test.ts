/** Kill -9 in every phase of a control flow: it goes on from what is stored, and nobody is heard twice. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { type KillPoint, killAfterEach } from '../../../support/crash.ts';
import { lifeOf } from '../../../support/crash-life.ts';
import { toolUse } from '../../../support/fake-model/script.ts';
import { startFakeModel } from '../../../support/fake-model/server.ts';
import { asked, CHECKER, done, handoffs, pair, PAIR, WORKER } from '../../../support/flows/flows.ts';
import { fullTest } from '../../../support/samples.ts';
import { memoryStore } from '../../../support/stores/pooled.ts';
import { trustFile } from '../../../support/trusted.ts';

const root = await mkdtemp(join(tmpdir(), 'triad-crash-flow-'));
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

const agent = (name: string) => `---\nname: ${name}\ndescription: One\nrole: subagent\n---\nYou are the ${name}.\n`;
const FILES = {
  '.triad/agents/worker.md': agent('worker'),
  '.triad/agents/checker.md': agent('checker'),
  [`.triad/compositions/${PAIR}.toml`]: `[agent]\nname = "${PAIR}"\ndescription = "A pair"\n[composition]\nprimary = "worker"\ncoagent = "checker"\n[control_flow]\ntype = "smart"\n[handoff]\ntype = "static"\ntext = "Look at this."\n`,
};

const folder = join(root, 'workspace');
for (const [path, text] of Object.entries(FILES)) {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  await trustFile(folder, folder, path, text);
}

const FIX = toolUse('write_file', { path: 'page.md', content: 'The page.\n' });
const script = () => pair(['First.', 'Second.'], { First: 'No title.', Second: [[FIX], done('I wrote the file.')] });

/** What is stored where nothing is killed. */
const whole = await (async () => {
  const model = await startFakeModel(script());
  const { events } = await lifeOf({ mode: 'start', store: await memoryStore(), url: model.url, folder, groupSize: 1 });
  await model.close();
  await rm(join(folder, 'page.md'), { force: true });
  return events;
})();
/** From the first whole answer of the pair to the end of its run. */
const ofFlow = (() => {
  const own = whole.filter(({ agent: name }) => name === PAIR || name === 'checker');
  const answered = own.find(({ type, agent: name }) => type === 'turn-end' && name === PAIR)?.seq ?? Infinity;
  return own.filter(({ seq }) => seq >= answered - 1);
})();

/** Whether the file was written by the call, as its result tells it: where it was cut off, nobody knows. */
const wrote = (events: readonly DurableEvent[]) =>
  events.some((one) => one.type === 'tool-end' && one.entry.name === 'write_file' && one.entry.status === 'completed');

async function pointAt(killAfter: number): Promise<KillPoint> {
  const model = await startFakeModel(script());
  const check: KillPoint['check'] = ({ end, events, runs }, before) => {
    const where = `killed after ${killAfter}: ${whole[killAfter - 1]?.agent} ${whole[killAfter - 1]?.type}`;
    expect(end.outcome, where).toBe('completed');
    const pairRun = runs.find(({ agent: name }) => name === PAIR);
    expect(pairRun, where).toMatchObject({ outcome: 'completed' });
    if (wrote(events)) expect(pairRun?.text, where).toBe('Second.\n\nI wrote the file.');
    expect(pairRun?.text, where).toMatch(/^Second\./);
    expect(
      handoffs(events).map(({ round, back }) => [round, back?.review?.verdict?.passed]),
      where,
    ).toEqual([
      [1, undefined],
      [1, false],
      [2, undefined],
      [2, true],
    ]);
    const coagents = runs.filter(({ kind }) => kind === 'coagent');
    expect(
      coagents.map(({ place, outcome }) => [place, outcome]),
      where,
    ).toEqual([
      [1, 'completed'],
      [2, 'completed'],
    ]);
    // One that has ended is not run again.
    const ends = events.filter((one) => one.type === 'run-end' && one.outcome === 'completed');
    for (const { id } of coagents) expect(ends.filter(({ runId }) => runId === id).length, where).toBe(1);
    // Of what is stored nothing is asked for again.
    const stored = (name: string) =>
      events.filter((one) => one.seq <= killAfter && one.agent === name && one.type === 'turn-end').length;
    const after = { model: { ...model, requests: model.requests.slice(before) } };
    expect(asked(after, WORKER).length, where).toBeLessThanOrEqual(2 - stored(PAIR));
    expect(asked(after, CHECKER).length, where).toBeLessThanOrEqual(3 - stored('checker'));
    for (const run of runs) {
      const counted = events.filter((one) => one.type === 'usage' && one.runId === run.id);
      expect(run.usage.requests, where).toBe(counted.length);
    }
  };
  return { model, life: { data: join(root, `at-${killAfter}`), folder }, check };
}

test('the uninterrupted run has four handoffs and starts a coagent', () => {
  expect(handoffs(whole)).toHaveLength(4);
  expect(ofFlow.length).toBeGreaterThan(40);
  expect(new Set(ofFlow.map(({ type }) => type))).toContain('run-queue');
});

fullTest(
  'tests/core/workflows/flows/flow-crash.test.ts › a control flow killed after the handoff of round two, before the coagent is queued, resumes',
)('a control flow killed after any of many events resumes without repeating stored answers', { timeout: 600_000 }, () =>
  killAfterEach(ofFlow, pointAt),
);

test('a control flow killed after the handoff of round two, before the coagent is queued, resumes', async () => {
  const handed = ofFlow.find((one) => one.type === 'handoff' && one.entry.round === 2)!;
  await killAfterEach([handed], pointAt);
});
