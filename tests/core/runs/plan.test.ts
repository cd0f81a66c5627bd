/** An agent's plan: written whole, shown by its row, read back, and still there after kill -9, like its budget. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import type { PlanItem } from '#contract/message.ts';
import { liveUntil } from '../../support/crash.ts';
import { startEngine } from '../../support/engine.ts';
import { delegateTo, LEAD } from '../../support/fake-model/scenarios.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const first: PlanItem[] = [
  { content: 'Look around', status: 'in_progress', priority: 'high' },
  { content: 'Write it down', status: 'pending', priority: 'low' },
];
const second = first.map((item): PlanItem => ({ ...item, status: 'completed' }));

function planning(): Script {
  return new Script()
    .on({ turn: 1 })
    .reply([toolUse('todo_write', { items: first })])
    .on({ turn: 2 })
    .reply([toolUse('todo_read', {})])
    .on({ turn: 3 })
    .reply([toolUse('todo_write', { items: second })])
    .on({})
    .reply([text('All done.')]);
}

describe('a plan', () => {
  test('emits an event at each write, is stored in the run row, and needs no approval', async () => {
    const engine = await startEngine(planning());
    const end = await engine.ask('Go');
    expect(engine.of('plan-change').map(({ items }) => items)).toEqual([first, second]);
    const read = engine.of('tool-end').find(({ entry }) => entry.name === 'todo_read');
    expect(JSON.parse(read?.entry.output ?? '')).toEqual(first);
    expect((await engine.store.run(end.runId))?.plan).toEqual(second);
    expect(engine.of('approval-request')).toEqual([]);
  });

  test('of a sub-agent is separate from the plan of the lead', async () => {
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply([toolUse('todo_write', { items: first }), delegateTo('code-reviewer', 'Review it.')])
      .on(LEAD)
      .reply([text('Reviewed.')])
      .on({ turn: 1 })
      .reply([toolUse('todo_read', {})])
      .on({ turn: 2 })
      .reply([toolUse('todo_write', { items: second })])
      .on({})
      .reply([text('Report.')]);
    const engine = await startEngine(script);
    const end = await engine.ask('Go');
    const [lead, child] = await engine.store.runsOf([end.workflowId]);
    expect([lead?.plan, child?.plan]).toEqual([first, second]);
    expect(engine.of('tool-end').find(({ entry }) => entry.name === 'todo_read')?.entry.output).toBe('[]');
  });

  test('with an invalid status is rejected with the valid values', async () => {
    const items = [{ content: 'x', status: 'maybe', priority: 'high' }];
    const script = new Script().on({ turn: 1 }).reply([toolUse('todo_write', { items })]);
    script.on({}).reply([text('I see.')]);
    const engine = await startEngine(script);
    await engine.ask('Go');
    expect(engine.of('plan-change')).toEqual([]);
    expect(engine.of('tool-end')[0]?.entry.output).toMatch(/pending.*in_progress.*completed/);
  });

  test('survives kill -9, as does the used part of the budget', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'triad-plan-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = '[limits.run]\nmax_tokens = 420\n[limits.workflow]\nmax_tokens = 100000\n';
    const script = (): Script => {
      const limited = new Script().on({ lastUser: /You have no tools any more/ }).reply([text('So far.')]);
      limited.rules.push(...planning().rules);
      return limited;
    };
    const model = await startFakeModel(script());
    onTestFinished(() => model.close());
    const life = { data: join(folder, 'killed'), folder, url: model.url, settings };
    // The first tool call writes the plan.
    const resume = await liveUntil('tool-end', life);
    const before = model.requests.length;
    const result = await resume();
    const readEvent = result.events.find((event) => event.type === 'tool-end' && event.entry.name === 'todo_read');
    expect(readEvent?.type === 'tool-end' && JSON.parse(readEvent.entry.output)).toEqual(first);
    expect(result.runs[0]?.plan).toEqual(second);
    expect(result.workflow.budget).toEqual({ ...DEFAULT_WORKFLOW_LIMITS, tokens: 100_000 });
    expect(result.end).toMatchObject({ outcome: 'budget_exceeded', text: 'So far.' });
    // One before the kill, then two more, and the last one without tools: as without the kill.
    expect(model.requests.length - before).toBe(3);
  });
});
