/** Batches that do not wait for all: what is still running goes on, can be listed and ended, and reports later. */
import { describe, expect, test } from 'vitest';
import { outcomes, outputOf, startEngine } from '../../support/engine.ts';
import { batch, LEAD, reportOf } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { createAlarms } from '../runs/loop/alarms.ts';

const tasks = ['fast', 'slow'].map((part) => ({ agent_id: 'code-reviewer', prompt: `Review ${part}.` }));
const start = toolUse('parallel_tasks', { operation: 'execute_batch', tasks, wait_all: false });

describe('a batch with wait_all: false', () => {
  test('returns with the first report, and the other report is handed over when its sub-agent ends', async () => {
    const held = new Gate();
    const script = new Script()
      .on({ ...LEAD, step: 1 })
      .reply([start])
      .on({ ...LEAD, asked: /Report of the sub-agent code-reviewer/ })
      .reply((seen) => [text(seen.asked.includes('Report: slow') ? 'Both are there.' : 'Something is missing.')])
      .on(LEAD)
      .reply(() => {
        held.open();
        return [text('The first is there.')];
      })
      .on({ prompt: /Review fast/ })
      .reply([text(reportOf('fast'))])
      .on({ prompt: /Review slow/ })
      .reply([text(reportOf('slow'))], { hold: held.at(0) });
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed']);
    expect(end.text).toBe('Both are there.');
    const first = outputOf(engine.of('tool-end').find(({ entry }) => entry.name === 'parallel_tasks')?.entry.output);
    expect(first).toMatchObject({ success: true, completed: 1, running: 1, failed: 0 });
    expect(first.results?.map(({ success, outcome }) => [success, outcome])).toEqual([
      [true, 'completed'],
      [false, 'running'],
    ]);
    expect(first.aggregated_report).toBe(
      `## 1. code-reviewer: completed\n\n${reportOf('fast').trim()}\n\n## 2. code-reviewer: still running\n\nIts report follows when it has ended.`,
    );
  });

  test('does not time the lead out for inactivity while a sub-agent still works', async () => {
    const alarms = createAlarms(77_000);
    const held = new Gate();
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([start])
      .on({ ...LEAD, asked: /Report: slow/ })
      .reply([text('Both are there.')])
      .on(LEAD)
      .reply([text('The first is there.')])
      .on({ prompt: /Review fast/ })
      .reply([text(reportOf('fast'))])
      .on({ prompt: /Review slow/ })
      .reply([text(reportOf('slow'))], { hold: held.at(0) });
    const engine = await startEngine(script, { settings: '[limits]\ninactivity_seconds = 77\n' });
    const { workflowId } = await engine.send('Go');
    await engine.event('message-end', ({ entry }) => JSON.stringify(entry).includes('The first is there.'));
    // The oldest timer is the watchdog of the lead.
    alarms.ringFirst();
    held.open();
    const end = await engine.ended(workflowId);
    expect(outcomes(end)).toEqual(['completed', 'completed', 'completed']);
    expect(end.text).toBe('Both are there.');
  });

  test('does not return early because of a rejected sub-agent', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([start])
      .on(LEAD)
      .reply([text('Done.')])
      .on({ prompt: /Review slow/ })
      .reply([text(reportOf('slow'), { deltas: 4, delayMs: 20 })]);
    const engine = await startEngine(script, {
      person: (_, item) => (item === 0 ? { kind: 'reject', reason: 'no' } : { kind: 'allow' }),
    });
    await engine.ask('Go');
    const result = engine.of('tool-end').find(({ entry }) => entry.name === 'parallel_tasks');
    expect(outputOf(result?.entry.output)).toMatchObject({ completed: 1, failed: 1, running: 0 });
    expect(result?.entry.status).toBe('completed');
  });

  test('returns an error if all sub-agents are rejected', async () => {
    const engine = await startEngine(batch(), { person: () => ({ kind: 'reject', reason: 'no' }) });
    await engine.ask('Go');
    const { entry } = engine.of('tool-end').find(({ entry: { name } }) => name === 'parallel_tasks')!;
    expect(entry.status).toBe('error');
    expect(outputOf(entry.output)).toMatchObject({ success: false, completed: 0, failed: 2, running: 0 });
  });

  test('with wait_all: true instead returns only after both reports', async () => {
    const engine = await startEngine(batch({ waitAll: true }));
    await engine.ask('Go');
    expect(outputOf(engine.of('tool-end').at(-1)?.entry.output)).toMatchObject({
      completed: 2,
      running: 0,
    });
  });

  test('allows the lead to list and terminate the sub-agent that still works', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([start])
      .on({ ...LEAD, turn: 2 })
      .reply([toolUse('spawn_agent', { operation: 'list_children' })])
      .on({ ...LEAD, turn: 3 })
      .reply((seen) => [
        toolUse('spawn_agent', {
          operation: 'terminate',
          child_id: outputOf(seen.results[0]?.text).children?.[0]?.child_id,
        }),
      ])
      .on(LEAD)
      .reply([text('Ended.')])
      .on({ prompt: /Review fast/ })
      .reply([text(reportOf('fast'))])
      .on({ prompt: /Review slow/ })
      .reply([text('never')], { hangAfter: 2 });
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    expect(outcomes(end)).toEqual(['completed', 'completed', 'cancelled']);
    const [, listCall] = engine.of('tool-end').filter(({ parentRunId }) => parentRunId === null);
    expect(outputOf(listCall?.entry.output).success).toBe(true);
    const slow = engine.model.requests.find(({ seen }) => seen.prompt === 'Review slow.');
    expect(slow?.closedAt).not.toBeNull();
    const ended = engine.of('tool-end').find(({ entry }) => entry.output.includes('"ended":{'));
    expect(ended?.entry.status).toBe('completed');
    expect(outputOf(ended?.entry.output)).toMatchObject({
      success: true,
      ended: { agents: 1, requests: 1 },
    });
  });

  test.for([[], ['alpha'], ['alpha', 'beta']])(
    'terminating an unknown sub-agent is an error that lists the active ones: %j',
    async (names) => {
      const spawns = names.map((name) =>
        toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Inspect ${name}.`, background: true }),
      );
      const terminate = toolUse('spawn_agent', { operation: 'terminate', child_id: 'nobody' });
      const script = new Script().on({ ...LEAD, turn: names.length > 0 ? 2 : 1 }).reply([terminate]);
      if (names.length > 0) script.on({ ...LEAD, turn: 1 }).reply(spawns);
      script.on({ prompt: /Inspect/ }).reply([text('Never.')], { hangAfter: 1 });
      script.on({}).reply([text('I see.')]);
      const engine = await startEngine(script);
      const { workflowId } = await engine.send('Go');
      const failedCall = await engine.event('tool-end', ({ entry }) => entry.status === 'error');
      const active = names.map((name) => {
        const queued = engine.of('run-queue').find(({ agent }) => agent === name);
        return `${queued?.runId} (${name})`;
      });
      expect(failedCall.entry.output).toBe(
        `No active sub-agent has the id "nobody". Active are: ${active.join(', ') || 'none'}`,
      );
      if (names.length > 0) await engine.runtime.request('workflow.stop', { workflowId });
      await engine.ended(workflowId);
    },
  );
});
