/** Making room in a context: by itself, when it is full, and by hand, with what follows and what it costs. */
import { describe, expect, test } from 'vitest';
import { type Harness, startEngine } from '../../../support/engine.ts';
import { NOTES, summarising, SUMMARISER, words } from '../../../support/fake-model/compacting.ts';
import { delegateTo, LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { variations } from '../../../support/samples.ts';
import { sharedEngine } from '../../../support/shared-engine.ts';

/** A window of 60,000 tokens, of which half is 30,000: a larger one takes longer to fill. */
const settings = `[models]
default = "claude-haiku-4-5"
[context]
compact_at = 0.5
[providers.anthropic.models."claude-haiku-4-5"]
context_window = 60000
`;
const { start } = sharedEngine(settings);
const look = () => toolUse('list_directory', { path: '.' });

const compactions = (engine: Harness) => engine.of('compaction').map(({ entry }) => entry);
/** Requests of turns, as their whole text. */
const asked = (engine: Harness) =>
  engine.model.requests
    .filter(({ seen }) => !SUMMARISER.test(seen.system))
    .map(({ body }) => JSON.stringify(body.messages));
const notices = (engine: Harness) => engine.of('notice').map((event) => event.text);

describe('compaction', () => {
  test('summarises the oldest part of a nearly full context once before the next turn, and counts the request', async () => {
    const script = summarising()
      .on({ step: 1 })
      .reply([words(27_000, 'The old part. '), look()], { usage: { input: 9_000 } })
      .on({ step: 2 })
      .reply([text('The newest part.'), look()], { usage: { input: 31_000 } })
      .on({})
      .reply([text('Done.')], { usage: { input: 14_000 } });
    const engine = await start(script);
    const end = await engine.ask('Look at all of it');
    expect(end.outcome).toBe('completed');
    const [entry, ...more] = compactions(engine);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ text: NOTES, auto: true, upTo: 3 });
    expect(entry!.tokensBefore).toBeGreaterThan(30_000);
    expect(entry!.tokensAfter).toBeLessThan(20_000);
    const [, before = '', after = ''] = asked(engine);
    expect(before).toContain('The old part.');
    expect(after).not.toContain('The old part.');
    expect(after).toContain('The notes of the model.');
    expect(after).toContain('Look at all of it');
    expect(after).toContain('The newest part.');
    const requests = await engine.store.requestsOf(end.workflowId);
    expect(requests.filter(({ purpose }) => purpose === 'compaction')).toMatchObject([{ inputTokens: 700 }]);
    expect(engine.model.requests.find(({ seen }) => SUMMARISER.test(seen.system))?.seen.tools).toEqual([]);
  });

  test('does not start automatically when it is disabled or the context window is unknown', async () => {
    const script = () =>
      summarising()
        .on({ step: 1 })
        .reply([words(27_000), look()])
        .on({ step: 2 })
        .reply([look()], { usage: { input: 59_000 } })
        .on({})
        .reply([text('Done.')]);
    const others = [
      settings.replace('compact_at = 0.5', 'auto_compact = false'),
      '[models]\ndefault = "some-model"\n[context]\ncompact_at = 0.5\n',
    ];
    for (const one of others) {
      const engine = await startEngine(script(), { settings: one });
      await engine.ask('Go');
      expect(compactions(engine)).toEqual([]);
    }
  });

  test('continues the run without a summary when the model writes none, with one notice', async () => {
    const script = new Script()
      .on({ system: SUMMARISER })
      .reply([text('')])
      .on({ step: 1 })
      .reply([words(27_000), look()])
      .on({ step: 2 })
      .reply([look()], { usage: { input: 31_000 } })
      .on({ step: 3 })
      .reply([toolUse('read_file', { path: 'README.md' })], { usage: { input: 32_000 } })
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script);
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(compactions(engine)).toEqual([]);
    const failed = notices(engine).filter((one) => one.startsWith('The context was not compacted'));
    expect(failed).toEqual(['The context was not compacted: the model wrote no summary']);
  });

  test('runs when the provider reports a full context, and the agent continues', async () => {
    const script = summarising()
      .on({ lastUser: /Room was made/ })
      .reply([text('All of it.')])
      .on({ step: 1 })
      .reply([words(3_000, 'The old part. '), look()])
      .on({})
      .reply([text('Half of')], { stopReason: 'model_context_window_exceeded' });
    const engine = await startEngine(script, { settings: '[models]\ndefault = "some-model"\n' });
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'All of it.' });
    expect(compactions(engine)).toHaveLength(1);
    expect(asked(engine).at(-1)).toContain('Half of');
    expect(asked(engine).at(-1)).not.toContain('The old part.');
  });

  test('ends the run as partial when the context is full again at once or no usable summary is written', async () => {
    const full = (summaries: Script) =>
      summaries
        .on({ step: 1, lastUser: /^Go/ })
        .reply([words(3_000), look()])
        .on({})
        .reply([text('Half of')], { stopReason: 'model_context_window_exceeded' });
    const again = await startEngine(full(summarising()), { settings });
    expect(await again.ask('Go')).toMatchObject({ outcome: 'partial', error: { code: 'max_tokens' } });
    expect(compactions(again)).toHaveLength(1);
    // More than they would stand for, or nothing.
    for (const notes of [words(4_000), text('')]) {
      const never = await startEngine(full(new Script().on({ system: SUMMARISER }).reply([notes])), { settings });
      expect(await never.ask('Go')).toMatchObject({ outcome: 'partial', error: { code: 'max_tokens' } });
      expect(compactions(never)).toEqual([]);
    }
  });

  test.for(
    variations([
      { status: 413, error: { type: 'request_too_large', message: 'too large' } },
      { status: 400, error: { type: 'context_length_exceeded', message: 'too many tokens' } },
    ]),
  )('shrinks and repeats a request that was rejected as too large ($error.type)', async (refusal) => {
    const script = summarising()
      .on({ step: 1 })
      .reply([words(3_000, 'The old part. '), look()])
      .on({ step: 2 })
      .reply([look()])
      .on({ lastUser: /./, where: ({ body }) => JSON.stringify(body.messages).includes('The old part.') })
      .reply([], refusal)
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script);
    expect(await engine.ask('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(compactions(engine)).toHaveLength(1);
  });

  test('summarises earlier workflows, and keeps the last answer and all user messages verbatim', async () => {
    const script = summarising()
      .on({ prompt: /First/, lastUser: /^First/ })
      .reply([words(18_000, 'The first report. ')])
      .on({ lastUser: /^Second/ })
      .reply([words(15_000, 'The second report. ')])
      .on({})
      .reply([text('Third answer.')]);
    const engine = await start(script);
    for (const prompt of ['First question', 'Second question', 'Third question']) await engine.ask(prompt);
    expect(compactions(engine)).toMatchObject([{ upTo: 0, prior: [2, 2] }]);
    const last = asked(engine).at(-1) ?? '';
    expect(last).not.toContain('The first report.');
    for (const kept of ['First question', 'Second question', 'Third question', 'The second report.', 'The notes of'])
      expect(last).toContain(kept);
    await engine.ask('Fourth question');
    expect(
      asked(engine)
        .at(-1)
        ?.startsWith(
          last
            .slice(0, -1)
            .replace(/,"cache_control":\{"type":"ephemeral"\}/g, '')
            .slice(0, 200),
        ),
    ).toBe(true);
    expect(asked(engine).at(-1)).toContain('Third answer.');
    expect(compactions(engine)).toHaveLength(1);
  });

  test('compacts the context of a sub-agent on its own', async () => {
    const script = summarising()
      .on({ ...LEAD, step: 1 })
      .reply([spawn({ name: 'digger', prompt: 'Dig deep.' })])
      .on(LEAD)
      .reply([text('Thanks.')])
      .on({ step: 1 })
      .reply([words(27_000, 'Dug up. '), look()])
      .on({ step: 2 })
      .reply([look()], { usage: { input: 31_000 } })
      .on({})
      .reply([text('# Report\nFound.')]);
    const engine = await start(script);
    expect((await engine.ask('Go')).outcome).toBe('completed');
    const [event] = engine.of('compaction');
    expect(event?.parentRunId).not.toBeNull();
    expect(event?.entry.auto).toBe(true);
    const child = asked(engine).find((one) => one.includes('The notes of the model.'));
    expect(child).toContain('Dig deep.');
    expect(child).not.toContain('Dug up.');
  });

  test('keeps the rejections and replies of the person, and the plan', async () => {
    const plan = [{ content: 'Write the file', status: 'in_progress', priority: 'high' }];
    const script = summarising()
      .on({ step: 1 })
      .reply([
        toolUse('todo_write', { items: plan }),
        toolUse('write_file', { path: 'a.md', content: 'A' }),
        toolUse('ask_question', { questions: [{ question: 'Which colour?', kind: 'text' }] }),
      ])
      .on({ step: 2 })
      .reply([look()])
      .on({})
      .reply([text('Done.')]);
    const engine = await start(script, {
      person: ({ request: { subject } }) =>
        subject.kind === 'questions'
          ? { kind: 'reply', replies: [{ chosen: [], words: 'Green.' }] }
          : { kind: 'reject', reason: 'That file is mine.' },
    });
    await engine.ask('Go');
    await engine.runtime.request('context.compact', { conversationId: engine.conversationId });
    const { kept } = compactions(engine)[0]!;
    for (const part of ['1. Go', 'That file is mine.', 'Green.', '[in_progress] (high) Write the file'])
      expect(kept).toContain(part);
  });
});

describe('manual compaction', () => {
  const chatting = () =>
    summarising()
      .on({ step: 1, lastUser: /^One/ })
      .reply([text('The first answer.'), look()])
      .on({ prompt: /./, where: ({ lastUser }) => lastUser.startsWith('Two') })
      .reply([text('The second answer.')])
      .on({})
      .reply([text('An answer.')]);

  test('of an idle conversation can be undone and redone: the next request has the full history, then the summary', async () => {
    const engine = await startEngine(chatting());
    const { conversationId } = engine;
    const compact = () => engine.runtime.request('context.compact', { conversationId });
    await expect(compact()).rejects.toMatchObject({ code: 'bad_input' });
    await engine.ask('One');
    expect(await compact()).toEqual({ waits: false });
    const [{ n, tokensBefore } = { n: -1, tokensBefore: 0 }] = compactions(engine);
    const runId = engine.of('compaction')[0]!.runId;
    expect(tokensBefore).toBeGreaterThan(0);
    const restore = (undone: boolean) =>
      engine.runtime.request('context.restore', { conversationId, runId, n, undone });
    await restore(true);
    await expect(restore(true)).rejects.toMatchObject({ code: 'conflict' });
    await engine.ask('Two');
    const whole = asked(engine).at(-1) ?? '';
    expect(whole).toContain('The first answer.');
    expect(whole).not.toContain('The notes of the model.');
    await restore(false);
    await engine.ask('Three');
    expect(asked(engine).at(-1)).toContain('The notes of the model.');
    expect(asked(engine).at(-1)).toContain('The second answer.');
    expect(asked(engine).at(-1)).not.toContain('The first answer.');
    expect(engine.of('compaction-undo').map(({ entry }) => entry.undone)).toEqual([true, false]);
    expect((await engine.store.run(runId))?.usage.requests).toBe(3);
  });

  test('undone while a later lead works, returns the full history in the next request', async () => {
    const script = summarising()
      .on({ step: 1, lastUser: /^One/ })
      .reply([text('The first answer.'), look()])
      .on({ where: ({ lastUser }) => lastUser.startsWith('Two') })
      .reply([toolUse('write_file', { path: 'a.md', content: 'A' })])
      .on({})
      .reply([text('Done.')]);
    const engine = await startEngine(script, { person: () => null });
    const { conversationId } = engine;
    await engine.ask('One');
    await engine.runtime.request('context.compact', { conversationId });
    const { runId, entry } = engine.of('compaction')[0]!;
    const { workflowId } = await engine.send('Two');
    const { approval } = await engine.event('approval-request');
    expect(asked(engine).at(-1)).not.toContain('The first answer.');
    await engine.runtime.request('context.restore', { conversationId, runId, n: entry.n, undone: true });
    await engine.runtime.request('approval.decide', {
      approvalId: approval.id,
      answer: { kind: 'reject', reason: '' },
    });
    await engine.ended(workflowId);
    expect(asked(engine).at(-1)).toContain('The first answer.');
    expect(asked(engine).at(-1)).not.toContain('The notes of the model.');
  });

  test('once undone, is not repeated when the context is nearly full, but a full context is compacted', async () => {
    const script = summarising()
      .on({ lastUser: /Room was made/ })
      .reply([text('Done.')])
      .on({ step: 1 })
      .reply([words(2_000, 'The first step. '), look()])
      .on({ step: 2 })
      .reply([toolUse('write_file', { path: 'a.md', content: 'A' })])
      .on({ step: 3 })
      .reply([look()], { usage: { input: 32_000 } })
      .on({})
      .reply([text('Half of')], { stopReason: 'model_context_window_exceeded' });
    const engine = await start(script, {
      person: () => null,
    });
    const { conversationId } = engine;
    const { workflowId, runId } = await engine.send('Go');
    const { approval } = await engine.event('approval-request');
    await engine.runtime.request('context.compact', { conversationId });
    const [{ n } = { n: -1 }] = compactions(engine);
    await engine.runtime.request('context.restore', { conversationId, runId, n, undone: true });
    await engine.runtime.request('approval.decide', {
      approvalId: approval.id,
      answer: { kind: 'reject', reason: '' },
    });
    expect(await engine.ended(workflowId)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(compactions(engine)).toMatchObject([{ auto: false }, { auto: true }]);
    expect(notices(engine), 'nearly full, it is left alone').toEqual([]);
  });

  test('runs at once while calls are open, and the calls still get their results', async () => {
    const script = summarising()
      .on({ leads: true, lastUser: /Found\./ })
      .reply([text('Done.')])
      .on({ leads: false })
      .reply([text('# Report\nFound.')])
      .on({ step: 1 })
      .reply([text('The first step.'), look()])
      .on({ step: 2 })
      .reply([
        toolUse('write_file', { path: 'a.md', content: 'A' }, { id: 'call_a' }),
        toolUse('write_file', { path: 'b.md', content: 'B' }, { id: 'call_b' }),
        delegateTo('fact-finder', 'Find it.'),
      ]);
    const engine = await startEngine(script, { person: () => null });
    const { workflowId } = await engine.send('Go');
    const requests = await Promise.all(
      ['a.md', 'b.md', 'fact-finder'].map((what) =>
        engine.event('approval-request', ({ approval }) => JSON.stringify(approval).includes(what)),
      ),
    );
    expect(await engine.runtime.request('context.compact', { conversationId: engine.conversationId })).toEqual({
      waits: false,
    });
    expect(compactions(engine)).toMatchObject([{ upTo: 3, auto: false }]);
    for (const { approval } of requests)
      await engine.runtime.request('approval.decide', {
        approvalId: approval.id,
        answer: { kind: 'allow', confirmed: true },
      });
    expect((await engine.ended(workflowId)).outcome).toBe('completed');
    const { seen } = engine.model.requests.at(-1)!;
    expect(seen.prompt).toContain('The notes of the model.');
    expect(JSON.stringify(seen.body)).not.toContain('The first step.');
    expect(seen.results.map(({ id }) => id).slice(0, 2)).toEqual(['call_a', 'call_b']);
    expect(seen.results.map(({ text: result }) => result)).toEqual([
      expect.stringContaining('a.md'),
      expect.stringContaining('b.md'),
      expect.stringContaining('Found.'),
    ]);
  });
});
