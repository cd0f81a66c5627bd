/** A word of the person to a sub-agent that works: read once, before its next request, after all results; its lead is told. */
import { describe, expect, test } from 'vitest';
import type { Person } from '../../support/compose.ts';
import { type Harness, outputOf, startEngine, talkIn, yes } from '../../support/engine.ts';
import type { Seen } from '../../support/fake-model/request.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';

const { start } = sharedEngine();
const WORD = 'Look at the README first.';
const read = ({ lastUser }: Seen): boolean => lastUser.includes(WORD);

const child = (engine: Harness): string =>
  engine.of('run-queue').find(({ parentRunId }) => parentRunId !== null)!.runId;
const say = (engine: Harness, runId = child(engine), words = WORD) =>
  engine.runtime.request('run.say', { runId, text: words });
const heard = (engine: Harness) =>
  engine
    .of('message-end')
    .flatMap(({ entry, runId }) => (entry.kind === 'user' && entry.said ? [{ ...entry, runId }] : []));
const reported = (engine: Harness) =>
  outputOf(engine.of('tool-end').find(({ parentRunId }) => parentRunId === null)?.entry.output);

/** A lead that starts one sub-agent, which is held in its first response. */
function working(first: Gate, blocks = [toolUse('list_directory', { path: '.' })]): Script {
  return new Script()
    .on({ ...LEAD, turn: 1 })
    .reply([spawn({ name: 'scout', prompt: 'Look.' })])
    .on(LEAD)
    .reply([text('Done.')])
    .on({ ...CHILD, where: read })
    .reply([text('# Report\n\nThe README was first.')])
    .on({ ...CHILD, step: 1 })
    .reply(blocks, { hold: first.at(1) })
    .on(CHILD)
    .reply([text('# Report\n\nSeen.')]);
}

describe('a message of the person to a working sub-agent', () => {
  test('is sent once with its next request, after all tool results, as words of the person', async () => {
    const first = new Gate();
    const calls = [toolUse('list_directory', { path: '.' }), toolUse('read_file', { path: 'README.md' })];
    const engine = await start(working(first, calls));
    const { workflowId } = await engine.send('Go');
    await first.reached;
    await say(engine);
    expect(engine.of('run-say')).toMatchObject([{ runId: child(engine), text: WORD }]);
    expect(heard(engine), 'not while it answers').toEqual([]);
    first.open();
    const end = await engine.ended(workflowId);
    expect(end.outcome).toBe('completed');
    expect(heard(engine)).toMatchObject([
      { runId: child(engine), source: 'person', text: WORD, said: engine.of('run-say')[0]?.wordId, n: 4 },
    ]);
    const asked = engine.model.requests.filter(({ seen }) => read(seen) && !seen.tools.includes('spawn_agent'));
    expect(asked).toHaveLength(1);
    const messages = asked[0]!.seen.body.messages as { role: string; content: { type: string; text?: string }[] }[];
    expect(messages.at(-1)?.content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
    expect(messages.at(-1)?.content[2]?.text).toMatch(/^\[Triad: the person, .*says to you:\]\n\nLook at/);
    expect(reported(engine)).toMatchObject({ report: '# Report\n\nThe README was first.', person_said_to_it: [WORD] });
    const row = await engine.runtime.request('run.get', { runId: child(engine) });
    expect(row.said).toMatchObject([{ text: WORD }]);
  });

  test('makes the sub-agent answer again if its answer came without the message', async () => {
    const first = new Gate();
    const engine = await start(working(first, [text('# Report\n\nToo early.')]));
    const { workflowId } = await engine.send('Go');
    await first.reached;
    await say(engine);
    await say(engine, child(engine), 'And the licence.');
    first.open();
    await engine.ended(workflowId);
    expect(heard(engine).map((entry) => entry.text)).toEqual([WORD, 'And the licence.']);
    expect(reported(engine)).toMatchObject({
      report: '# Report\n\nThe README was first.',
      person_said_to_it: [WORD, 'And the licence.'],
    });
  });

  test('does not decide an open approval, and is read after the decision', async () => {
    const asked = Promise.withResolvers<string>();
    const person: Person = (approval, item) => {
      if (approval.request.subject.kind === 'envelopes') return yes(approval, item);
      asked.resolve(approval.request.id);
      return null;
    };
    const first = new Gate();
    first.open();
    const script = working(first, [toolUse('write_file', { path: 'a.md', content: 'A' })]);
    const engine = await start(script, { person });
    const { workflowId } = await engine.send('Go');
    const approvalId = await asked.promise;
    await say(engine, child(engine), `yes, allow it. ${WORD}`);
    expect(engine.of('approval-decide').map((event) => event.approvalId)).not.toContain(approvalId);
    await engine.runtime.request('approval.decide', { approvalId, answer: { kind: 'reject', reason: 'No' } });
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    expect(heard(engine)).toHaveLength(1);
  });

  test('is read after the prompt if the sub-agent still waits for a slot', async () => {
    const [first, second] = [new Gate(), new Gate()];
    const script = new Script()
      .on({ ...LEAD, turn: 1 })
      .reply(['one', 'two'].map((name) => spawn({ name, prompt: `Look ${name}.` }, `call_${name}`)))
      .on(LEAD)
      .reply([text('Done.')])
      .on({ ...CHILD, prompt: /Look one/ })
      .reply([text('# Report\n\nOne.')], { hold: first.at(1) })
      .on(CHILD)
      .reply([text('# Report\n\nTwo.')], { hold: second.at(1) });
    const engine = await sharedSerial.start(script);
    const { workflowId } = await engine.send('Go');
    await first.reached;
    const two = engine.of('run-queue').find(({ agent }) => agent === 'two')!.runId;
    await engine.event('approval-decide', () => engine.of('approval-decide').length === 2);
    await say(engine, two);
    second.open();
    first.open();
    await engine.ended(workflowId);
    const [entry] = await engine.runtime.request('run.entries', { runId: two });
    expect(entry).toMatchObject({ source: 'parent', text: 'Look two.' });
    expect(heard(engine)).toMatchObject([{ runId: two, n: 1, text: WORD }]);
  });
});

const sharedSerial = sharedEngine('limits.max_concurrent = 1\n');

describe('a message to a sub-agent is rejected', () => {
  test('if the run has ended, is a lead or is unknown, or if the message is empty', async () => {
    const first = new Gate();
    first.open();
    const engine = await start(working(first));
    await engine.ask('Go');
    const before = engine.durable().length;
    await expect(say(engine)).rejects.toMatchObject({
      code: 'conflict',
      message: 'This agent has ended: it does not read this any more',
    });
    await expect(say(engine, engine.of('run-queue')[0]!.runId)).rejects.toMatchObject({ code: 'conflict' });
    await expect(say(engine, crypto.randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(say(engine, child(engine), ' ')).rejects.toMatchObject({ code: 'bad_input' });
    expect(engine.durable()).toHaveLength(before);
    expect(heard(engine)).toEqual([]);
  });

  test('while the start of the sub-agent waits for approval', async () => {
    const asked = Promise.withResolvers<void>();
    const person: Person = () => {
      asked.resolve();
      return null;
    };
    const engine = await start(working(new Gate()), { person });
    await engine.send('Go');
    await asked.promise;
    await expect(say(engine)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('your yes') as string,
    });
  });

  test('after the sub-agent was stopped, but an unread message is read after a retry', async () => {
    const first = new Gate();
    const engine = await start(working(first));
    const { workflowId } = await engine.send('Go');
    await first.reached;
    await say(engine);
    await engine.runtime.request('run.stop', { runId: child(engine) });
    await expect(say(engine)).rejects.toMatchObject({ code: 'conflict' });
    await engine.ended(workflowId);
    expect(heard(engine)).toEqual([]);
    await engine.runtime.request('run.retry', { runId: child(engine) });
    await engine.event('workflow-end', ({ seq }) => seq > engine.of('workflow-end')[0]!.seq);
    expect(heard(engine)).toMatchObject([{ text: WORD, runId: child(engine) }]);
  });
});

test('a message unread when the program closes is read once after a resume', async () => {
  const store = await memoryStore();
  const first = new Gate();
  const engine = await startEngine(working(first), { store: lasting(store) });
  const { workflowId } = await engine.send('Go');
  await first.reached;
  await say(engine);
  await engine.runtime.close();
  expect(heard(engine)).toEqual([]);
  const again = await startEngine(working(new Gate()), { store });
  const { leave, ...talk } = await talkIn(again.runtime, engine.conversationId);
  await again.runtime.request('workflow.resume', { workflowId });
  expect((await talk.ended(workflowId)).outcome).toBe('completed');
  expect(heard({ ...again, ...talk })).toMatchObject([{ text: WORD, runId: child(engine) }]);
  leave();
});
