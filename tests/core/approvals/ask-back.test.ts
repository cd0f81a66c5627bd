/** The person asks the asking agent before deciding: it answers, the question stays open, and everything is counted. */
import { expect, onTestFinished, test } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import type { Seen } from '../../support/fake-model/request.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { eventsIn } from '../../support/commit-items.ts';

const { start } = sharedEngine();

const write = { path: 'notes.md', content: 'One line.\n' };
/** What is asked back stands in no other request. */
const isBack = {
  where: ({ body }: Seen) => JSON.stringify(body.messages).includes('question about your call'),
};

/** The lead writes a file; asked back, it says why. */
function writing(answer: { held?: Gate; status?: number; cutAfter?: number } = {}): Script {
  const { held, ...options } = answer;
  return new Script()
    .on(isBack)
    .reply([text('Because you wanted notes.')], {
      usage: { input: 700, output: 11 },
      name: 'answer',
      ...options,
      ...(held ? { hold: held.at(2) } : {}),
    })
    .step([toolUse('write_file', write)])
    .step([text('Written.')]);
}

async function asked(engine: Harness): Promise<string> {
  const event = await engine.event('approval-request');
  return event.approval.id;
}

const decide = (engine: Harness, approvalId: string, answer: Answer = { kind: 'allow' }) =>
  engine.runtime.request('approval.decide', { approvalId, answer });

test('a question back is answered from the run context, counted and stored, and an empty question is rejected', async () => {
  const engine = await start(writing(), { person: () => null });
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  await expect(engine.runtime.request('approval.ask', { approvalId, question: ' ' })).rejects.toThrow('is empty');
  await engine.runtime.request('approval.ask', { approvalId, question: ' Why this file? ' });
  await engine.event('context-end');
  const exchange = { question: 'Why this file?', answer: 'Because you wanted notes.', error: null };
  expect(await engine.store.approval(approvalId)).toMatchObject({ decisions: [null], context: [exchange] });
  const { text: exported } = await engine.runtime.request('conversation.export', {
    conversationId: engine.conversationId,
    format: 'md',
  });
  expect(exported).toMatch(/Asked back at .*\n\n> Why this file\?\n\n> Because you wanted notes\./);
  const request = engine.model.requests[1];
  expect(request?.seen.prompt).toContain('Take notes');
  expect(request?.seen.results[0]?.text).toContain('has not decided');
  expect(request?.seen.body.tool_choice).toEqual({ type: 'none' });
  expect((await engine.store.workflow(workflowId))?.usage.requests).toBe(2);
  await decide(engine, approvalId);
  const end = await engine.ended(workflowId);
  expect(end.outcome).toBe('completed');
  const requests = engine.of('usage').map(({ request: { inputTokens } }) => inputTokens);
  expect(requests).toHaveLength(3);
  expect(requests).toContain(700);
  expect(end.usage.inputTokens).toBe(requests.reduce((sum, tokens) => sum + tokens, 0));
  // What was said beside the work is not part of it.
  expect(JSON.stringify(engine.model.requests[2]?.seen.body.messages)).not.toContain('Because you wanted');
});

test('a second question back includes the first question and its answer', async () => {
  const engine = await start(writing(), { person: () => null });
  await engine.send('Take notes');
  const approvalId = await asked(engine);
  for (const question of ['Why this?', 'And why now?']) {
    await engine.runtime.request('approval.ask', { approvalId, question });
    await eventually(async () => {
      const { context = [] } = (await engine.store.approval(approvalId)) ?? {};
      expect(context.at(-1)).toMatchObject({ question, answer: 'Because you wanted notes.' });
    });
  }
  const words = JSON.stringify(engine.model.requests[2]?.seen.body.messages);
  expect(words).toMatch(/Why this\?.*Because you wanted notes\..*And why now\?/);
});

test('a second question back during the first is rejected, and a decision cancels the first, with its usage counted', async () => {
  const held = new Gate();
  const engine = await start(writing({ held }), { person: () => null });
  onTestFinished(() => held.open());
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  const ask = () => engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await ask();
  await expect(ask()).rejects.toMatchObject({ code: 'conflict' });
  await eventually(() => expect(engine.model.requests).toHaveLength(2));
  await decide(engine, approvalId);
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
  const { context } = (await engine.store.approval(approvalId)) ?? {};
  expect(context).toMatchObject([{ answer: null, error: expect.stringContaining('closed meanwhile') as string }]);
  const seqs = engine.durable().map(({ type, seq }) => ({ type, seq }));
  const last = (type: string) => seqs.findLast((one) => one.type === type)?.seq ?? 0;
  expect(last('context-end')).toBeLessThan(last('workflow-end'));
  expect(engine.of('usage')).toHaveLength(3);
});

test('a failed model request leaves the approval open and stores the error', async () => {
  const engine = await start(writing({ status: 400 }), { person: () => null });
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  const end = await engine.event('context-end');
  expect(end).toMatchObject({ context: { answer: null, error: expect.any(String) as string } });
  await decide(engine, approvalId);
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});

test('stopping the workflow ends a pending question back', async () => {
  const held = new Gate();
  const engine = await start(writing({ held }), { person: () => null });
  onTestFinished(() => held.open());
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await eventually(() => expect(engine.model.requests).toHaveLength(2));
  await engine.runtime.request('workflow.stop', { workflowId });
  expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
  expect((await engine.store.approval(approvalId))?.context).toMatchObject([{ answer: null }]);
  await expect(engine.runtime.request('approval.ask', { approvalId, question: 'Why?' })).rejects.toMatchObject({
    code: 'already_answered',
  });
});

test('a token limit prevents a question back with an error, and the approval stays open', async () => {
  const settings = '[limits.run]\nmax_tokens = 1\n';
  const engine = await startEngine(writing(), { person: () => null, settings });
  await engine.send('Take notes');
  const approvalId = await asked(engine);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  const end = await engine.event('context-end');
  const error = expect.stringContaining('limit of 1 token') as string;
  expect(end).toMatchObject({ context: { answer: null, error } });
  expect(engine.model.requests).toHaveLength(1);
  expect((await engine.store.approval(approvalId))?.decisions).toEqual([null]);
});

test('a shutdown cuts off a question back, and a new one is possible only after a resume', async () => {
  const store = await memoryStore();
  const held = new Gate();
  onTestFinished(() => held.open());
  const engine = await startEngine(writing({ held }), {
    store: lasting(store),
    person: () => null,
  });
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await eventually(() => expect(engine.model.requests).toHaveLength(2));
  await engine.runtime.close();
  held.open();
  const runtime = await startAgain(engine, store);
  const ask = () => runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await expect(ask()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('resume') as string,
  });
  await runtime.request('workflow.resume', { workflowId, approve: 'ask' });
  await eventually(() => ask());
  await eventually(async () => {
    const { context } = (await store.approval(approvalId)) ?? {};
    expect(context).toMatchObject([
      { answer: null, error: expect.any(String) as string },
      { answer: 'Because you wanted notes.' },
    ]);
  });
});

test('stopping a workflow counts all ended requests, including two concurrent questions back', async () => {
  const held = new Gate();
  onTestFinished(() => held.open());
  const script = new Script()
    .on(isBack)
    .reply([text('Because.')], { hold: held.at(2) })
    .step([toolUse('write_file', write), toolUse('write_file', { ...write, path: 'more.md' })])
    .step([text('Written.')]);
  const engine = await start(script, { person: () => null });
  const { workflowId } = await engine.send('Take notes');
  await eventually(() => expect(engine.of('approval-request')).toHaveLength(2));
  for (const { approval } of engine.of('approval-request'))
    await engine.runtime.request('approval.ask', { approvalId: approval.id, question: 'Why?' });
  await eventually(() => expect(engine.model.requests).toHaveLength(3));
  const ended = await engine.runtime.request('workflow.stop', { workflowId });
  expect(ended).toMatchObject({ requests: 2, left: 0 });
});

test('a question back that a kill interrupted is closed at the next start', async () => {
  const store = await memoryStore();
  const held = new Gate();
  onTestFinished(() => held.open());
  // Of a killed process nothing more is stored.
  let killed = false;
  const dying: typeof store = {
    ...store,
    close: () => Promise.resolve(),
    commit: (items) => {
      const events = eventsIn(items);
      const stored = killed ? Promise.resolve() : store.commit(items);
      killed ||= events.some(({ type }) => type === 'context-request');
      return stored;
    },
  };
  const engine = await startEngine(writing({ held }), {
    store: dying,
    person: () => null,
  });
  await engine.send('Take notes');
  const approvalId = await asked(engine);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await engine.runtime.close();
  expect((await store.approval(approvalId))?.context).toMatchObject([{ answer: null, error: null }]);
  await startAgain(engine, store);
  expect((await store.approval(approvalId))?.context).toMatchObject([
    { answer: null, error: 'Interrupted: ask again' },
  ]);
});

test('a question back during a streaming response includes the call that requires approval', async () => {
  const whole = new Gate();
  const script = new Script()
    .on(isBack)
    .reply([text('Because you wanted notes.')])
    .step([toolUse('write_file', write), text('And more words.')], {
      hold: whole.at(8),
    })
    .step([text('Written.')]);
  const engine = await start(script, { person: () => null });
  onTestFinished(() => whole.open());
  const { workflowId } = await engine.send('Take notes');
  const approvalId = await asked(engine);
  expect(engine.of('message-end').filter(({ entry }) => entry.kind === 'assistant')).toEqual([]);
  await engine.runtime.request('approval.ask', { approvalId, question: 'Why?' });
  await engine.event('context-end');
  const messages = engine.model.requests[1]?.seen.body.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(JSON.stringify(messages[1])).toContain('notes.md');
  whole.open();
  await decide(engine, approvalId);
  expect((await engine.ended(workflowId)).outcome).toBe('completed');
});
