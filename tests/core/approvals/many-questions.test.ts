/** A run has so many open questions and no more: the rest queue in order, and whatever happens none is lost. */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MAX_OPEN_QUESTIONS } from '#contract/limits.ts';
import type { Attention } from '#contract/view.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { fullTest } from '../../support/samples.ts';

const { start } = sharedEngine();

const MORE = 3;
const PATHS = Array.from({ length: MAX_OPEN_QUESTIONS + MORE }, (_, n) => `f${String(n).padStart(2, '0')}.md`);

/** One response writes all files, and reads one after that. */
function writesAll(): Script {
  const script = new Script();
  script
    .on({ step: 1 })
    .reply([
      ...PATHS.map((path) => toolUse('write_file', { path, content: path })),
      toolUse('read_file', { path: 'README.md' }),
    ]);
  return script.on({}).reply([text('Done.')]);
}

const askedPaths = (engine: Harness) =>
  engine
    .of('approval-request')
    .map(({ approval: { subject } }) => (subject.kind === 'tool' ? (subject.input as { path: string }).path : ''));

/** All slots are taken, and what needs no question has run past those that wait. */
async function full(store?: Harness['store']) {
  const person = () => null;
  const engine = store ? await startEngine(writesAll(), { person, store }) : await start(writesAll(), { person });
  const { workflowId } = await engine.send('Write');
  await engine.event('tool-end', ({ entry }) => entry.name === 'read_file');
  await eventually(() => expect(askedPaths(engine)).toEqual(PATHS.slice(0, MAX_OPEN_QUESTIONS)));
  const ids = engine.of('approval-request').map(({ approval }) => approval.id);
  const allow = (approvalId: string, grant?: { scope: 'workflow'; pattern: string }) =>
    engine.runtime.request('approval.decide', {
      approvalId,
      answer: { kind: 'allow', ...(grant ? { grant } : {}) },
    });
  return { engine, workflowId, ids, allow };
}

fullTest([
  'tests/core/approvals/many-questions.test.ts › waiting approvals are judged when a slot is free, and a new grant then allows them',
  'tests/core/approvals/many-questions.test.ts › a restart loses no open or waiting approval',
])('each answer frees a slot for the next waiting approval', async () => {
  const { engine, workflowId, ids, allow } = await full();
  await allow(ids[7]!);
  await eventually(() => expect(askedPaths(engine)).toEqual(PATHS.slice(0, MAX_OPEN_QUESTIONS + 1)));
  for (const id of ids) if (id !== ids[7]) await allow(id);
  await eventually(() => expect(askedPaths(engine)).toEqual(PATHS));
  for (const { approval } of engine.of('approval-request').slice(MAX_OPEN_QUESTIONS)) await allow(approval.id);
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed' });
  expect(await readdir(engine.folder)).toEqual(['README.md', ...PATHS]);
});

test('waiting approvals are judged when a slot is free, and a new grant then allows them', async () => {
  const { engine, workflowId, ids, allow } = await full();
  await allow(ids[0]!, { scope: 'workflow', pattern: '*.md' });
  await eventually(() =>
    expect(engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'rule')).toHaveLength(MORE),
  );
  expect(askedPaths(engine)).toEqual(PATHS);
  await engine.runtime.request('workflow.stop', { workflowId });
  await engine.ended(workflowId);
});

test('a stop ends open and waiting approvals, and each call has a result', async () => {
  const { engine, workflowId } = await full();
  await engine.runtime.request('workflow.stop', { workflowId });
  expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'cancelled' });
  const ends = engine.of('tool-end').filter(({ entry }) => entry.name === 'write_file');
  expect(ends.map(({ entry }) => entry.status)).toEqual(PATHS.map(() => 'cancelled'));
  expect(askedPaths(engine), 'nothing is asked of a run that is stopped').toHaveLength(MAX_OPEN_QUESTIONS);
  expect(await readdir(engine.folder)).toEqual(['README.md']);
});

test('a restart loses no open or waiting approval', async () => {
  const store = await memoryStore();
  const { engine, workflowId, ids, allow } = await full(lasting(store));
  await allow(ids[3]!);
  await eventually(() => expect(askedPaths(engine)).toHaveLength(MAX_OPEN_QUESTIONS + 1));
  await engine.runtime.close();

  const runtime = await startAgain(engine, store);
  let state: Attention = { questions: [], asleep: [], running: [] };
  let most = 0;
  const answered = new Set<string>();
  await runtime.subscribe('attention', { canAnswer: true }, (next) => {
    state = next;
    most = Math.max(most, state.questions.length + state.asleep.length);
  });
  expect(state.asleep).toHaveLength(MAX_OPEN_QUESTIONS);
  const [first] = state.asleep.map(({ request }) => request.id);
  answered.add(first!);
  await runtime.request('approval.decide', { approvalId: first!, answer: { kind: 'allow' } });
  // All that were open take a slot again, and the answer lets one in that waited.
  await eventually(() => {
    expect(state.asleep).toEqual([]);
    expect(state.questions.length).toBeGreaterThanOrEqual(MAX_OPEN_QUESTIONS);
  });
  await eventually(async () => {
    for (const { request } of [...state.asleep, ...state.questions]) {
      if (answered.has(request.id)) continue;
      answered.add(request.id);
      await runtime.request('approval.decide', { approvalId: request.id, answer: { kind: 'allow' } });
    }
    expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'completed' });
  });
  expect(await readdir(engine.folder)).toEqual(['README.md', ...PATHS]);
  expect(most).toBe(MAX_OPEN_QUESTIONS);
});
