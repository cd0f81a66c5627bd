/** After an interruption: questions open again, unfinished text shown but never sent; of effects see `crash-calls.test.ts`. */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inFullRun } from '../../support/samples.ts';
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent } from '#contract/event.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { eventually } from '../../support/eventually.ts';
import { live, liveUntil } from '../../support/crash.ts';
import { outcomes, startAgain, startEngine } from '../../support/engine.ts';
import { LEAD, plainAnswer, reportOf, threeChildren } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';

async function workplace(): Promise<{ data: string; folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'triad-recovery-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return { data: join(root, 'store'), folder: root };
}

/** A workflow that was killed after the first event of a type was stored, and went on. */
async function killedAfter(killAfter: DurableEvent['type'], script: Script) {
  const model = await startFakeModel(script);
  onTestFinished(() => model.close());
  const resume = await liveUntil(killAfter, { ...(await workplace()), url: model.url });
  return { model, result: await resume() };
}

describe('recovery after an interruption', () => {
  test('reopens the unanswered approvals with their ids when an interrupted workflow is resumed', async () => {
    const store = await memoryStore();
    const engine = await startEngine(threeChildren(), { store: lasting(store), person: () => null });
    const { workflowId } = await engine.send('Go');
    await eventually(() => expect(engine.of('approval-request')).toHaveLength(3));
    await engine.runtime.close();
    expect(await store.workflow(workflowId)).toMatchObject({ status: 'error', outcome: 'interrupted' });
    const asked = (await store.openApprovals()).map(({ request }) => request.id);
    expect(asked).toHaveLength(3);

    const again = await startAgain(engine, store);
    let questions: Approval[] = [];
    await again.subscribe('attention', { canAnswer: true }, (state) => (questions = state.questions));
    await again.request('workflow.resume', { workflowId });
    await eventually(() => expect(questions).toHaveLength(3));
    expect(questions.map(({ request }) => request.id).sort()).toEqual(asked.sort());
    for (const approvalId of asked) await again.request('approval.decide', { approvalId, answer: { kind: 'allow' } });
    await eventually(async () =>
      expect(await store.workflow(workflowId)).toMatchObject({
        status: 'completed',
        attempt: 2,
        subAgentCount: 3,
      }),
    );
    await expect(again.request('workflow.resume', { workflowId })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('keeps text cut off by a kill as interrupted and does not send it back to the model', async () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
    const model = await startFakeModel(plainAnswer({ answer: words, deltas: 200 }), {
      latency: { deltaMs: 10 },
    });
    onTestFinished(() => model.close());
    const life = { ...(await workplace()), url: model.url };
    const started = (child: ChildProcess) => {
      void model
        .waitFor(() => true, 20_000)
        .then(() => sleep(1200))
        .then(() => child.kill('SIGKILL'));
    };
    if (inFullRun) await live({ mode: 'start', ...life, started });
    const result = await (inFullRun
      ? live({ mode: 'resume', ...life })
      : liveUntil('checkpoint', life).then((resume) => resume()));
    expect(result?.end).toMatchObject({ outcome: 'completed', text: words });
    const cut = result?.events.find(
      (event) => event.type === 'message-end' && event.entry.kind === 'assistant' && event.entry.interrupted,
    );
    if (cut?.type !== 'message-end' || cut.entry.kind !== 'assistant') throw new Error('nothing was kept');
    const [part] = cut.entry.parts;
    expect(part?.type === 'text' && part.text.length > 0 && words.startsWith(part.text)).toBe(true);
    // Both requests are counted: the lost one with what is known of it.
    const usage = result?.events.flatMap((event) => (event.type === 'usage' ? [event.request] : []));
    expect(usage).toMatchObject([
      { reported: false, inputTokens: 100, error: { code: 'interrupted' } },
      { reported: true },
    ]);
    expect(usage?.[0]?.outputTokens).toBeGreaterThan(0);
    expect(result?.workflow.usage.requests).toBe(2);
    expect(result?.end.usage.inputTokens).toBe(200);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.body.messages).toEqual(model.requests[0]?.body.messages);
  });

  test('counts a request as unknown, by estimate, if the kill came after its start was stored', async () => {
    // The process may have sent the request before it died.
    const script = new Script().on({}).reply([text('Done.')], { usage: { input: 777 } });
    const { model, result } = await killedAfter('request-start', script);
    const sent = result?.events.flatMap((event) => (event.type === 'request-start' ? [event.request] : []));
    const usage = result?.events.flatMap((event) => (event.type === 'usage' ? [event.request] : []));
    expect(usage).toMatchObject([
      { ...sent?.[0], inputEstimated: true, reported: false, error: { code: 'interrupted' } },
      { inputTokens: 777, reported: true },
    ]);
    const estimate = sent?.[0]?.inputTokens ?? 0;
    expect(estimate).toBeGreaterThan(100);
    expect(result?.workflow.usage).toMatchObject({
      requests: 2,
      failedRequests: 1,
      unknownRequests: 1,
      inputTokens: 777 + estimate,
      estimatedInputTokens: estimate,
    });
    expect(result?.runs[0]?.usage).toEqual(result?.workflow.usage);
    expect(result?.end.usage).toMatchObject({ inputTokens: 777 + estimate, estimatedInputTokens: estimate });
    expect(model.requests.length).toBeLessThanOrEqual(2);
  });

  test('counts the reported tokens of a request that was killed after its answer began', async () => {
    const hanging = { hangAfter: 2, times: 1, usage: { input: 555 } };
    const script = new Script()
      .on({})
      .reply([text('Never.')], hanging)
      .on({})
      .reply([text('Done.')], { usage: { input: 777 } });
    const { result } = await killedAfter('message-start', script);
    expect(result?.workflow.usage).toMatchObject({ requests: 2, inputTokens: 777 + 555 });
    expect(result?.workflow.usage).not.toHaveProperty('unknownRequests');
  });

  test('counts the failed attempt and no attempt that was not sent if the kill came while waiting for a retry', async () => {
    const overloaded = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' }, times: 1 };
    const script = new Script()
      .on({})
      .reply([], overloaded)
      .on({})
      .reply([text('Done.')]);
    const { result } = await killedAfter('retry', script);
    const usage = result?.events.flatMap((event) => (event.type === 'usage' ? [event.request.error?.code] : []));
    expect(usage).toEqual(['overloaded', undefined]);
    expect(result?.workflow.usage).toMatchObject({ requests: 2, inputTokens: 100 });
  });

  test('resumes a background sub-agent and hands its report to the lead', async () => {
    const tasks = ['fast', 'slow'].map((part) => ({ agent_id: 'code-reviewer', prompt: `Review ${part}.` }));
    const slow = { hangAfter: 2, times: 1 };
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: false })])
      .on({ ...LEAD, asked: /Report: slow/ })
      .reply([text('Both are there.')])
      .on(LEAD)
      .reply([text('One is there.')])
      .on({ prompt: /Review fast/ })
      .reply([text(reportOf('fast'))])
      .on({ prompt: /Review slow/ })
      .reply([text('Hm')], slow)
      .on({ prompt: /Review slow/ })
      .reply([text(reportOf('slow'))]);
    const store = await memoryStore();
    const engine = await startEngine(script, { store: lasting(store) });
    const { workflowId } = await engine.send('Go');
    await engine.event(
      'message-end',
      (event) =>
        event.entry.kind === 'assistant' &&
        event.entry.parts.some((part) => part.type === 'text' && part.text === 'One is there.'),
    );
    await engine.runtime.close();
    const again = await startAgain(engine, store);
    await again.request('workflow.resume', { workflowId });
    await eventually(async () =>
      expect(await store.workflow(workflowId)).toMatchObject({
        status: 'completed',
        text: 'Both are there.',
      }),
    );
    const end = (await store.events(engine.conversationId, 1, 1000)).at(-1);
    if (end?.type !== 'workflow-end') throw new Error('no end');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed']);
  });
});
