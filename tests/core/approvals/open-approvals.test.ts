/** Questions of an interrupted workflow stay open, and an answer to one resumes the workflow that asked. */
import { expect, test, vi } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { Attention } from '#contract/view.ts';
import { OpenApprovals } from '#core/approvals/open-approvals.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';

/** Three questions wait when the program is closed; then it is started again on the same store. */
async function restarted() {
  const store = await memoryStore();
  const engine = await startEngine(threeChildren(), { store: lasting(store), person: () => null });
  const { workflowId } = await engine.send('Go');
  await eventually(() => expect(engine.of('approval-request')).toHaveLength(3));
  await engine.runtime.close();
  const runtime = await startAgain(engine, store);
  const seen: { state: Attention; all: Attention[] } = { state: { questions: [], asleep: [], running: [] }, all: [] };
  await runtime.subscribe('attention', { canAnswer: true }, (state) => seen.all.push((seen.state = state)));
  const asked = (await store.openApprovals()).map(({ request }) => request.id);
  const asleep = () => seen.state.asleep.map(({ request }) => request.id).sort();
  const { conversationId } = engine;
  return {
    store,
    runtime,
    seen,
    asked: asked.sort(),
    asleep,
    workflowId,
    conversationId,
    model: engine.model,
  };
}

test('concurrent answers to all approvals resume the workflow once, and the workflow completes', async () => {
  const { store, runtime, seen, asked, asleep, workflowId, model } = await restarted();
  expect(asleep()).toEqual(asked);
  expect(seen.state.questions).toEqual([]);
  await Promise.all(
    asked.map((approvalId) => runtime.request('approval.decide', { approvalId, answer: { kind: 'allow' } })),
  );
  const done = { status: 'completed', outcome: 'completed', attempt: 2, subAgentCount: 3 };
  await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject(done));
  await eventually(() => expect(seen.state).toMatchObject({ questions: [], asleep: [], running: [] }));
  // The lead's first request is not made again.
  model.expectDone();
});

test('after one rejection the other approvals stay visible and become open', async () => {
  const { runtime, seen, asked, asleep } = await restarted();
  const [first = '', ...others] = asked;
  const decision = await runtime.request('approval.decide', {
    approvalId: first,
    answer: { kind: 'reject', reason: 'Not this one' },
  });
  expect(decision).toMatchObject({ allowed: false, decidedBy: 'person', reason: 'Not this one' });
  await eventually(() => expect(seen.state.questions.map(({ request }) => request.id).sort()).toEqual(others));
  expect(asleep()).toEqual([]);
  await expect(
    runtime.request('approval.decide', { approvalId: first, answer: { kind: 'allow' } }),
  ).rejects.toMatchObject({ code: 'already_answered' });
  for (const { questions, asleep: left } of seen.all) {
    const shown = [...questions, ...left].map(({ request }) => request.id);
    expect(shown).toEqual(expect.arrayContaining(others));
    expect(shown, 'once').toHaveLength(new Set(shown).size);
  }
});

/** Over questions that are read one list after the other; `resumed` is whether their workflow is. */
function readingOf(reads: Promise<Approval[]>[], store: Harness['store'], resumed: () => boolean = () => false) {
  const approvals = new OpenApprovals({
    store: {
      openApprovals: () => reads.shift() ?? Promise.resolve([]),
      workflow: async (id) => {
        const row = await store.workflow(id);
        return row && resumed() ? { ...row, outcome: null } : row;
      },
      conversation: (id) => store.conversation(id),
    },
    gate: { has: () => false, questionOf: () => null, decide: vi.fn(), explain: vi.fn() },
    isActive: resumed,
    resume: () => Promise.resolve(),
    onChange: () => undefined,
  });
  return { approvals, shown: () => approvals.dormant().map(({ request }) => request.id) };
}

const decided = (approvalId: string) => ({ type: 'approval-decide', approvalId }) as AgentEvent;

test('an approval that is answered during a refresh is not shown again', async () => {
  const { store } = await restarted();
  const [answered, ...others] = await store.openApprovals();
  if (answered === undefined) throw new Error('three wait');
  const first = Promise.withResolvers<Approval[]>();
  const reads = [first.promise, Promise.resolve(others)];
  const { approvals, shown } = readingOf(reads, store);
  const reading = approvals.refresh();
  approvals.onEvent(decided(answered.request.id));
  expect(reads).toEqual([]);
  await eventually(() => expect(shown()).toEqual(others.map(({ request }) => request.id)));
  first.resolve([answered, ...others]);
  await reading;
  expect(shown()).toEqual(others.map(({ request }) => request.id));
});

test('only a decision about a listed approval refreshes the list', async () => {
  const { store } = await restarted();
  const all = await store.openApprovals();
  const reads = [all, all.slice(1), []].map((found) => Promise.resolve(found));
  const { approvals, shown } = readingOf(reads, store);
  await approvals.refresh();
  approvals.onEvent(decided('another'));
  expect(reads).toHaveLength(2);
  approvals.onEvent(decided(all[0]?.request.id ?? ''));
  await eventually(() => expect(shown()).toEqual(all.slice(1).map(({ request }) => request.id)));
});

test('approvals of a resuming workflow stay listed in a refresh, and no further ones are added', async () => {
  const { store } = await restarted();
  const [known, ...others] = await store.openApprovals();
  if (known === undefined) throw new Error('three wait');
  let resumed = false;
  const reads = [[known], [known, ...others]].map((found) => Promise.resolve(found));
  const { approvals, shown } = readingOf(reads, store, () => resumed);
  await approvals.refresh();
  resumed = true;
  await approvals.refresh();
  expect(shown()).toEqual([known.request.id]);
});

test('deleting the conversation hides its approvals and prevents answers, and restoring shows them again', async () => {
  const { store, runtime, asked, asleep, workflowId, conversationId } = await restarted();
  await runtime.request('conversation.delete', { conversationId });
  await eventually(() => expect(asleep()).toEqual([]));
  const answer = { approvalId: asked[0] ?? '', answer: { kind: 'allow' as const } };
  await expect(runtime.request('approval.decide', answer)).rejects.toThrow();
  expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'interrupted', attempt: 1 });
  await runtime.request('conversation.restore', { conversationId });
  await eventually(() => expect(asleep()).toEqual(asked));
});
