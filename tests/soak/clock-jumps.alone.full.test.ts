/** A wall clock that jumps back or ahead breaks no order, no duration, no question and no conversation. */
import { afterEach, beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { type composeRuntime, settingsOf } from '../support/compose.ts';
import { startEngine, yes } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { plainAnswer, threeChildren } from '../support/fake-model/scenarios.ts';
import { fullTest } from '../support/samples.ts';
import { lasting, memoryStore } from '../support/stores/pooled.ts';

const DAY_MS = 86_400_000;
const jump = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

describe.for([
  ['back', -DAY_MS],
  ['ahead', DAY_MS],
] as const)('a clock that jumps %s', ([, ms]) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  fullTest(
    'tests/core/approvals/gate-clock.alone.test.ts › a timeout rejects the unanswered items, even with on_timeout set to approve if no client was attached',
  )('breaks no order, duration or approval of a running workflow', async () => {
    let jumped = false;
    const engine = await startEngine(threeChildren(), {
      person: (approval, item) => {
        if (!jumped) jump(ms);
        jumped = true;
        return yes(approval, item);
      },
    });
    const end = await engine.ask('Go');
    expect(end.outcome).toBe('completed');
    expect(engine.of('approval-decide').map(({ decision }) => decision.decidedBy)).toEqual([
      ...['person', 'person', 'person'],
    ]);
    expect(engine.durable().map(({ seq }) => seq)).toEqual(engine.durable().map((_, index) => index + 1));
    const { runs, workflow } = await engine.runtime.request('workflow.get', { workflowId: end.workflowId });
    expect(runs[0]?.parentRunId, 'the lead first').toBeNull();
    for (const { durationMs } of [...runs, workflow]) {
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(DAY_MS / 2);
    }
    for (const { queuedMs } of engine.of('run-start')) expect(queuedMs).toBeGreaterThanOrEqual(0);
  });

  fullTest('tests/core/base/ids.test.ts › new ids sort after earlier and stored ids, also when the clock goes back')(
    'keeps the order of workflows across two starts of the program',
    async () => {
      const store = await memoryStore();
      const engine = await startEngine(plainAnswer(), { store: lasting(store) });
      const first = await engine.ask('First question');
      await engine.runtime.close();
      jump(ms);
      // A process of its own would know nothing of the ids that were made before.
      vi.resetModules();
      const { composeRuntime: composeAnew } = (await import('../support/compose.ts')) as {
        composeRuntime: typeof composeRuntime;
      };
      const again = await composeAnew({
        store,
        folder: engine.folder,
        url: engine.model.url,
        settings: settingsOf(''),
      });
      onTestFinished(() => again.close());
      const { conversationId } = engine;
      const sent = await again.request('message.send', { conversationId, text: 'Second question' });
      await eventually(async () =>
        expect(await store.workflow(sent.workflowId)).toMatchObject({ outcome: 'completed' }),
      );
      expect(sent.workflowId > first.workflowId).toBe(true);
      expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).toContain('First question');
      const { items } = await again.request('workflow.list', {});
      expect(items.map(({ prompt }) => prompt)).toEqual(['Second question', 'First question']);
    },
  );
});
