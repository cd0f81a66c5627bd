/** Questions of an interrupted workflow stay open, and an answer to one resumes the workflow that asked. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Attention } from '#contract/view.ts';
import { openStore } from '#core/store/surreal.ts';
import { composeRuntime, settingsOf } from '../../support/compose.ts';
import { startEngine } from '../../support/engine.ts';
import { threeChildren } from '../../support/fake-model/scenarios.ts';

/** Three questions wait when the program is closed; then it is started again on the same store. */
async function restarted() {
  const store = await openStore({ url: 'mem://' });
  const lasting = { ...store, close: () => Promise.resolve() };
  const engine = await startEngine(threeChildren(), { store: lasting, person: () => null });
  const { workflowId } = await engine.send('Go');
  await vi.waitFor(() => expect(engine.of('approval-request')).toHaveLength(3));
  await engine.runtime.close();
  const runtime = await composeRuntime({
    store,
    folder: engine.folder,
    url: engine.model.url,
    settings: settingsOf(''),
  });
  onTestFinished(() => runtime.close());
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

test('all are answered at once: the workflow is resumed once, and ends as if nothing had been', async () => {
  const { store, runtime, seen, asked, asleep, workflowId, model } = await restarted();
  expect(asleep()).toEqual(asked);
  expect(seen.state.questions).toEqual([]);
  await Promise.all(
    asked.map((approvalId) => runtime.request('approval.decide', { approvalId, answer: { kind: 'allow' } })),
  );
  const done = { status: 'completed', outcome: 'completed', attempt: 2, subAgentCount: 3 };
  await vi.waitFor(async () => expect(await store.workflow(workflowId)).toMatchObject(done), 10_000);
  await vi.waitFor(() => expect(seen.state).toEqual({ questions: [], asleep: [], running: [] }));
  // The lead's first request is not made again.
  model.expectDone();
});

test('one is refused: the others are open and no longer asleep', async () => {
  const { runtime, seen, asked, asleep } = await restarted();
  const [first = '', ...others] = asked;
  const decision = await runtime.request('approval.decide', {
    approvalId: first,
    answer: { kind: 'reject', reason: 'Not this one' },
  });
  expect(decision).toMatchObject({ allowed: false, decidedBy: 'person', reason: 'Not this one' });
  await vi.waitFor(() => expect(seen.state.questions.map(({ request }) => request.id).sort()).toEqual(others));
  expect(asleep()).toEqual([]);
  await expect(
    runtime.request('approval.decide', { approvalId: first, answer: { kind: 'allow' } }),
  ).rejects.toMatchObject({ code: 'already_answered' });
});

test('one is answered: the others are in sight at every moment, so nothing that somebody writes there is lost', async () => {
  const { runtime, seen, asked } = await restarted();
  const [first = '', ...others] = asked;
  await runtime.request('approval.decide', { approvalId: first, answer: { kind: 'allow' } });
  await vi.waitFor(() => expect(seen.state.questions.map(({ request }) => request.id).sort()).toEqual(others));
  for (const { questions, asleep } of seen.all) {
    const shown = [...questions, ...asleep].map(({ request }) => request.id);
    expect(shown).toEqual(expect.arrayContaining(others));
    expect(shown, 'once').toHaveLength(new Set(shown).size);
  }
});

test('in the trash they are out of sight, and answering one says so and starts nothing', async () => {
  const { store, runtime, asked, asleep, workflowId, conversationId } = await restarted();
  await runtime.request('conversation.delete', { conversationId });
  await vi.waitFor(() => expect(asleep()).toEqual([]));
  const answer = { approvalId: asked[0] ?? '', answer: { kind: 'allow' as const } };
  await expect(runtime.request('approval.decide', answer)).rejects.toThrow();
  expect(await store.workflow(workflowId)).toMatchObject({ outcome: 'interrupted', attempt: 1 });
  await runtime.request('conversation.restore', { conversationId });
  await vi.waitFor(() => expect(asleep()).toEqual(asked));
});
