/** A fork that goes on from a step: what had not completed there, and what holds for what is done here. */
import { expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { yes } from '../../../support/compose.ts';
import { CHILD, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { Gate } from '../../../support/gate.ts';
import { done, pair, startFlow } from '../../../support/flows/flows.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';
import { asked, goOn, lastCall, snapshotOf, told } from './going-on.ts';

const { start } = sharedEngine('limits.run.max_iterations = 2\n');

const report = '# Report\n\nFound.';

test('a failed sub-agent needs approval with its first settings, and a completed edited sub-agent is copied', async () => {
  const batch = toolUse('parallel_tasks', {
    operation: 'execute_batch',
    tasks: [
      { agent_id: 'worker', prompt: 'Look at alpha.' },
      { agent_id: 'code-reviewer', prompt: 'Look at beta.' },
    ],
  });
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([batch])
    .on({ ...CHILD, prompt: /beta/ })
    .reply([text('No.')], { stopReason: 'refusal' })
    .on({ system: /You are the lead/ })
    .reply([text('Done.')])
    .on({})
    .reply([text(report)]);
  const { questions, person } = asked();
  let isFirst = true;
  const engine = await start(script, {
    person: (approval, item) => {
      const { subject } = approval.request;
      person(approval, item);
      const envelope = subject.kind === 'envelopes' ? subject.items[item]!.envelope : null;
      return isFirst && envelope
        ? { kind: 'edit', value: { ...envelope, prompt: `${envelope.prompt} As edited.` } satisfies Envelope }
        : yes(approval, item);
    },
  });
  const { workflowId } = await engine.ask('Look');
  const first = await told(engine, workflowId);
  const lead = first.entries.find(({ kind }) => kind === 'assistant')!;
  const [finder, reviewer] = first.children;
  expect([finder!.outcome, reviewer!.outcome]).toEqual(['completed', 'refused']);
  [isFirst, questions.length] = [false, 0];

  const fork = await goOn(engine, { workflowId, entry: lead.n });
  expect(questions.map(({ request: { subject } }) => subject)).toMatchObject([
    { items: [{ envelope: { agent: 'code-reviewer', prompt: 'Look at beta.' } }] },
  ]);
  expect(fork.children.find(({ agent }) => agent === finder!.agent)).toMatchObject({
    copiedFrom: { runId: finder!.id },
    outcome: 'completed',
    task: 'Look at alpha. As edited.',
  });
  const result = fork.entries.find((entry) => entry.kind === 'tool');
  expect(JSON.parse(result?.kind === 'tool' ? result.output : '')).toMatchObject({
    results: [
      { success: true, changed_by_person: expect.stringContaining('As edited.') as string },
      { success: false, outcome: 'refused' },
    ],
  });

  // A fork of the fork has the edit, too, and the first settings of what starts anew.
  questions.length = 0;
  const step = { workflowId: fork.workflow.id, entry: lead.n };
  const second = await goOn(engine, step, fork.made.id);
  expect(second.entries.find(({ kind }) => kind === 'tool')).toMatchObject({
    output: expect.stringContaining('As edited.') as string,
  });

  // Behind the result nothing of it is asked again.
  questions.length = 0;
  expect((await goOn(engine, { workflowId, entry: lastCall(first.entries) })).asks).toHaveLength(1);
  expect(questions).toEqual([]);
});

test('a background sub-agent that worked at the step of a fork is cancelled, and the lead gets that outcome', async () => {
  const gate = new Gate();
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([toolUse('spawn_agent', { operation: 'spawn', name: 'scout', prompt: 'Look.', background: true })])
    .on({ ...LEAD, turn: 2 })
    .reply([toolUse('list_directory', { path: '.' })])
    .on(CHILD)
    .reply([text(report)], { hold: gate.at(0), stopReason: 'refusal' })
    .on({})
    .reply([text('Done.')]);
  const { questions, person } = asked();
  const engine = await start(script, { person });
  const sent = await engine.send('Look');
  await engine.event('tool-end', ({ entry }) => entry.name === 'list_directory');
  gate.open();
  await engine.ended(sent.workflowId);
  const first = await told(engine, sent.workflowId);
  questions.length = 0;
  const fork = await goOn(engine, { workflowId: sent.workflowId, entry: lastCall(first.entries) });
  expect(questions).toEqual([]);
  expect(fork.children).toMatchObject([{ agent: 'scout', outcome: 'cancelled', attempt: 0 }]);
  const words = fork.entries.filter((entry) => entry.kind === 'user' && !entry.copiedFrom);
  expect(words).toMatchObject([{ text: expect.stringContaining('was forked while this worked') as string }]);
  expect(fork.lead.outcome).toBe('completed');
});

test('copied turns do not count for the limit, and the plan is that of the step', async () => {
  const write = (content: string) =>
    toolUse('todo_write', { items: [{ content, status: 'pending', priority: 'medium' }] });
  const script = new Script()
    .on({ ...CHILD, step: 1 })
    .reply([write('First')])
    .on({ ...CHILD, step: 2 })
    .reply([write('Second')])
    .on(CHILD)
    .reply([text(report)])
    .on({ ...LEAD, step: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on({})
    .reply([text('Done.')]);
  const engine = await start(script);
  const { workflowId } = await engine.ask('Look');
  const [scout] = (await told(engine, workflowId)).children;
  expect(scout).toMatchObject({ outcome: 'budget_exceeded', plan: [{ content: 'Second' }] });
  const entries = await engine.runtime.request('run.entries', { runId: scout!.id });
  const at = (entry: number) => goOn(engine, { workflowId, runId: scout!.id, entry });
  const [one, two] = entries.flatMap(({ kind, n }) => (kind === 'tool' ? [n] : []));
  // Two turns of its own are left to it.
  const second = await at(two!);
  expect(second.children).toMatchObject([{ outcome: 'completed', plan: [{ content: 'Second' }] }]);
  // An earlier step of the copy has the earlier plan.
  const earlier = {
    workflowId: second.workflow.id,
    runId: second.children[0]!.id,
    entry: one!,
    approve: 'none',
  } as const;
  expect((await goOn(engine, earlier, second.made.id)).children).toMatchObject([{ plan: [{ content: 'First' }] }]);
  const { runtime, conversationId } = engine;
  const step = { conversationId, workflowId, runId: scout!.id, entry: one! };
  const { id } = await runtime.request('conversation.fork', { ...step, goOn: true, approve: 'none' });
  await expect.poll(async () => (await snapshotOf(engine, id)).workflows.at(-1)?.outcome).toBe('completed');
  const { runs } = await snapshotOf(engine, id);
  const again = runs.find(({ agent }) => agent === 'scout');
  expect(again, 'nothing starts without a yes').toMatchObject({ outcome: 'rejected', plan: [{ content: 'First' }] });
});

test('a fork at a step of a sub-agent copies the other calls of the response, also calls that ended later', async () => {
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' }), toolUse('write_file', { path: 'a.md', content: 'a' })])
    .on(CHILD)
    .reply([text(report)])
    .on({})
    .reply([text('Done.')]);
  const { questions, person } = asked();
  let isFirst = true;
  const engine = await start(script, {
    person: (approval, item) => {
      person(approval, item);
      if (approval.request.subject.kind === 'envelopes' || !isFirst) return yes(approval, item);
      isFirst = false;
      return null;
    },
  });
  const { workflowId } = await engine.send('Look');
  await engine.event('tool-end', ({ entry }) => entry.name === 'spawn_agent');
  const { approval } = await engine.event('approval-request', ({ approval: { subject } }) => subject.kind === 'tool');
  await engine.runtime.request('approval.decide', { approvalId: approval.id, item: 0, answer: { kind: 'allow' } });
  await engine.ended(workflowId);
  const first = await told(engine, workflowId);
  questions.length = 0;
  const fork = await goOn(engine, { workflowId, runId: first.children[0]!.id, entry: 0 });
  expect(questions.map(({ request: { subject } }) => subject.kind)).toEqual(['envelopes']);
  expect(
    fork.entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.name, entry.copiedFrom !== undefined]] : [])),
  ).toEqual([
    ['write_file', true],
    ['spawn_agent', false],
  ]);
});

test('read_output in a fork returns a long output of a copied call', async () => {
  const script = new Script()
    .on({ turn: 1 })
    .reply([toolUse('grep', { pattern: 'needle' }, { id: 'call_long' })])
    .on({ turn: 2 })
    .reply([toolUse('read_output', { call: 'call_long' })])
    .on({})
    .reply([text('Done.')]);
  const files = { 'big.txt': Array.from({ length: 450 }, () => `needle ${'x'.repeat(200)}\n`).join('') };
  const engine = await start(script, { files });
  const { workflowId } = await engine.ask('Look');
  const { entries } = await goOn(engine, { workflowId, entry: 2 });
  const result = entries.find((entry) => entry.kind === 'tool' && entry.name === 'read_output');
  expect(result).toMatchObject({ status: 'completed', output: expect.stringContaining('needle xxx') as string });
});

test('in a fork at a step of a coagent, an edit in the approval also applies to the coagent', async () => {
  const look = toolUse('list_directory', { path: '.' });
  const script = pair(['First.'], { First: [[look], done('Good.')] });
  const flow = { type: 'judge' } as const;
  const { questions, person } = asked();
  let isFirst = true;
  const engine = await startFlow(
    script,
    {
      flow,
      as: 'sub',
      person: (approval, item) => {
        person(approval, item);
        const { subject } = approval.request;
        if (isFirst || subject.kind !== 'envelopes') return yes(approval, item);
        const { envelope } = subject.items[item]!;
        const coagent = { ...envelope.flow!.coagent!, systemPrompt: 'You are the checker, edited.' };
        return { kind: 'edit', value: { ...envelope, flow: { ...envelope.flow!, coagent } } satisfies Envelope };
      },
    },
    start,
  );
  const { workflowId } = await engine.ask('Go');
  const checker = (await told(engine, workflowId)).children.find(({ kind }) => kind === 'coagent')!;
  [isFirst, questions.length] = [false, 0];
  const fork = await goOn(engine, { workflowId, runId: checker.id, entry: 2 });
  expect(questions).toHaveLength(1);
  expect(fork.children.map(({ agent, outcome }) => [agent, outcome])).toEqual([
    ['pair', 'completed'],
    ['checker', 'completed'],
  ]);
  expect(fork.asks[0]?.seen.system).toContain('You are the checker, edited.');
});

test('a fork of a running workflow asks again for the unfinished sub-agent, and both workflows complete', async () => {
  const gate = new Gate();
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on(CHILD)
    .reply([text(report)], { hold: gate.at(0) })
    .on({})
    .reply([text('Done.')]);
  const { questions, person } = asked();
  const engine = await start(script, { person });
  const { runtime, conversationId } = engine;
  const { workflowId, runId } = await engine.send('Look');
  await engine.event('run-start', ({ agent }) => agent === 'scout');
  const { id } = await runtime.request('conversation.fork', {
    conversationId,
    workflowId,
    runId,
    entry: 1,
    goOn: true,
  });
  await expect.poll(() => questions.length).toBe(2);
  gate.open();
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
  await expect.poll(async () => (await snapshotOf(engine, id)).workflows.at(-1)?.outcome).toBe('completed');
  const [first, fork] = await Promise.all([conversationId, id].map((one) => snapshotOf(engine, one)));
  expect(fork!.conversation.usage.requests).toBe(2);
  expect(first!.conversation.usage.requests).toBe(3);
});

test('a rejected sub-agent is copied as rejected and takes no slot', async () => {
  const tasks = ['alpha', 'beta', 'gamma'].map((name) => spawn({ name, prompt: `Look at ${name}.` }));
  const script = new Script()
    .on({ ...LEAD, turn: 1 })
    .reply(tasks)
    .on({ turn: 2, asked: /Once more/ })
    .reply([spawn({ name: 'delta', prompt: 'Look at delta.' })])
    .on(CHILD)
    .reply([text(report)])
    .on({})
    .reply([text('Done.')]);
  const { questions, person } = asked();
  const engine = await start(script, {
    person: (approval, item) => {
      person(approval, item);
      const { subject } = approval.request;
      const isGamma = subject.kind === 'envelopes' && subject.items[item]!.envelope.agent === 'gamma';
      return isGamma ? { kind: 'reject', reason: 'No.' } : yes(approval, item);
    },
  });
  const { workflowId } = await engine.ask('Look. Once more.');
  const first = await told(engine, workflowId);
  const results = first.entries.filter(({ kind }) => kind === 'tool');
  questions.length = 0;
  const fork = await goOn(engine, { workflowId, entry: results[2]!.n });
  expect(fork.children.map(({ agent, outcome, attempt }) => [agent, outcome, attempt])).toEqual([
    ['alpha', 'completed', 1],
    ['beta', 'completed', 1],
    ['gamma', 'rejected', 0],
    ['delta', 'completed', 1],
  ]);
  expect(questions).toHaveLength(1);
});
