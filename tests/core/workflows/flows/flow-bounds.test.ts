/** Limits around a control flow: of the workflow, of each run, of requests at the provider, and the agent's own reviews. */
import { describe, expect, test } from 'vitest';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { REVIEWER, verdict } from '../../../support/fake-model/reflecting.ts';
import { asked, before, CHECKER, done, handoffs, pair, startFlow, WORKER } from '../../../support/flows/flows.ts';

const judge = { type: 'judge' } as const;
const look = toolUse('list_directory', { path: '.' });
const limit = (iterations: number) => `[limits.workflow]\nmax_iterations = ${iterations}\n`;

describe('a limit of the workflow', () => {
  test('also ends the coagent, and the answer is returned as partial with the reason', async () => {
    const engine = await startFlow(pair(['First.'], { First: [[look], 'Too late.'] }), {
      flow: judge,
      settings: limit(2),
    });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'partial', text: 'First.', error: { code: 'coagent_failed' } });
    expect(end.error?.message).toContain('The limit of 2 turns for the whole workflow was reached');
  });

  test('that prevents a generated handoff prompt ends the run with its answer', async () => {
    const engine = await startFlow(pair(['First.']), {
      flow: { ...judge, handoff: { type: 'generated', text: 'Write.' } },
      settings: limit(1),
    });
    const end = await engine.ask('Go');
    expect(end).toMatchObject({ outcome: 'budget_exceeded', text: 'First.' });
    expect(end.error?.message).toContain('the answer was handed to nobody');
    expect(engine.model.requests).toHaveLength(1);
  });

  test('asks the person before the handoff prompt is written, and an extension lets the run continue', async () => {
    const writer = new Script().on({ system: /You write it/ }).reply([text('Mind the title.')]);
    const engine = await startFlow(before(pair(['First.'], { First: done('Good.') }), writer), {
      flow: { ...judge, handoff: { type: 'generated', text: 'You write it.' } },
      settings: limit(1),
      atLimit: () => ({ kind: 'edit', value: { iterations: 9 } }),
    });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'First.' });
    expect(asked(engine, CHECKER)).toHaveLength(1);
  });

  test('that ends a later round of the agent returns the latest answer', async () => {
    const engine = await startFlow(pair(['First.', 'Second.'], { First: 'No title.' }), {
      flow: judge,
      settings: limit(2),
    });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'budget_exceeded', text: 'Second.' });
    expect(asked(engine, CHECKER)).toHaveLength(1);
  });
});

test('a later answer that is cut off does not replace an earlier whole answer', async () => {
  const cut = { blocks: [text('Half of')], options: { stopReason: 'max_tokens' } };
  const engine = await startFlow(pair(['First.', cut], { First: 'No title.' }), { flow: judge });
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'partial', text: 'First.', error: { code: 'max_tokens' } });
  expect(handoffs(engine.events)).toHaveLength(2);
});

test('with one request at a time at the provider a control flow completes without a deadlock', async () => {
  const engine = await startFlow(pair(['First.', 'Second.'], { First: 'No title.', Second: done('Good.') }), {
    flow: judge,
    as: 'sub',
    settings: '[providers.anthropic]\nmax_concurrent = 1\n',
  });
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed' });
});

test('self-reviews of the agent run before its coagent in each round and are not counted as rounds', async () => {
  const reviews = new Script()
    .on({ system: REVIEWER, where: ({ prompt }) => /Draft/.test(prompt) })
    .reply([text(verdict(false, 20, 'Not whole.'))])
    .on({ system: REVIEWER })
    .reply([text(verdict(true, 80))]);
  const engine = await startFlow(
    before(
      pair(['Draft one.', 'First.', 'Draft two.', 'Second.'], { First: 'No title.', Second: done('Good.') }),
      reviews,
    ),
    { flow: judge, worker: { reflection: { criteria: null, maxRetries: 1 } } },
  );
  expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'Second.' });
  const lead = engine.of('run-end').find(({ parentRunId }) => parentRunId === null);
  expect(lead?.reviews?.map((review) => review.verdict?.passed)).toEqual([false, true, false, false, true, true]);
  expect(handoffs(engine.events).map(({ round }) => round)).toEqual([1, 1, 2, 2]);
  expect(asked(engine, WORKER)).toHaveLength(4);
});

test('an answer reviewed before its handoff is not reviewed again after the coagent adds to it or after a retry', async () => {
  const write = toolUse('write_file', { path: 'page.md', content: 'The page.\n' });
  const others = new Script()
    .on(CHECKER)
    .reply([], { status: 400, times: 1 })
    .on({ system: REVIEWER })
    .reply([text(verdict(true, 80))]);
  const engine = await startFlow(before(pair(['First.'], { First: [[write], done('I wrote it.')] }), others), {
    flow: { type: 'smart' },
    as: 'sub',
    worker: { reflection: { criteria: null, maxRetries: 1 } },
  });
  const end = await engine.ask('Go');
  const { runId } = end.subAgents[0]!;
  await engine.runtime.request('run.retry', { runId });
  await engine.event('workflow-end', ({ seq }) => seq > end.seq);
  const again = engine.of('run-end').findLast((one) => one.runId === runId);
  expect(again).toMatchObject({ outcome: 'completed', text: 'First.\n\nI wrote it.' });
  expect(asked(engine, { system: REVIEWER })).toHaveLength(1);
});
