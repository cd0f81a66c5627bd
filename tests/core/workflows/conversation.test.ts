/** Workflows of one conversation: what was said before is in each request, also when messages wait in line. */
import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { inFullRun } from '../../support/samples.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

describe('a conversation', () => {
  test('answers messages sent at once in order, each request with all earlier answers', async () => {
    const gate = new Gate();
    const script = new Script().on({}).reply((seen) => [text(`Answer to ${seen.asked}`)], { hold: gate.at(0) });
    const engine = await start(script);
    const sent = await Promise.all(Array.from({ length: inFullRun ? 10 : 4 }, (_, n) => engine.send(`message ${n}`)));
    gate.open();
    expect(sent.filter(({ queued }) => !queued)).toHaveLength(1);
    for (const { workflowId } of sent) await engine.ended(workflowId);
    for (const [n, { body }] of engine.model.requests.entries()) {
      const words = body.messages.map(({ content }) => JSON.stringify(content));
      expect(words).toHaveLength(2 * n + 1);
      for (let k = 0; k < n; k += 1) {
        const asked = /message \d/.exec(words[2 * k] ?? '')?.[0];
        expect(words[2 * k + 1]).toContain(`Answer to ${asked}`);
      }
    }
  });

  test('rejects a message if its folder is missing, and can still be read', async () => {
    const engine = await start(new Script().on({}).reply([text('Done.')]));
    const { workflowId } = await engine.ask('Go');
    await rm(engine.folder, { recursive: true });
    const message = `The folder ${engine.folder} is not there any more: put it back, or start a conversation in another folder`;
    await expect(engine.send('More')).rejects.toMatchObject({ code: 'not_found', message });
    const { conversationId, runtime } = engine;
    const { workflows } = await runtime.request('conversation.snapshot', { conversationId });
    expect(workflows.map(({ id }) => id)).toEqual([workflowId]);
    expect(engine.model.requests).toHaveLength(1);
  });

  test('makes repeated tool call ids of a provider unique and replaces invalid characters in them', async () => {
    const call = toolUse('read_file', { path: 'a.txt' }, { id: 'functions.read_file:0' });
    const other = toolUse('read_file', { path: 'b.txt' }, { id: 'functions.read_file:0' });
    const script = new Script()
      .on({ turn: 1 })
      .reply([call])
      .on({ turn: 3 })
      .reply([other])
      .on({})
      .reply([text('Read.')]);
    const engine = await startEngine(script, { files: { 'a.txt': 'AAA', 'b.txt': 'BBB' } });
    await engine.ask('Read a');
    await engine.ask('Read b');
    const ids = engine.of('tool-end').map(({ entry }) => entry.toolCallId);
    expect(ids).toEqual(['functions_read_file_0', 'functions_read_file_0_2']);
    const last = JSON.stringify(engine.model.requests.at(-1)?.body.messages);
    expect(last).toContain('AAA');
    expect(last).toContain('BBB');
    engine.model.expectDone();
  });

  test('after a stop sends a valid request with the next message that names the interrupted call', async () => {
    const script = new Script()
      .on({ asked: /First/, step: 1 })
      .reply([toolUse('write_file', { path: 'x.txt', content: 'x' })])
      .on({})
      .reply([text('Fine.')]);
    const engine = await start(script, { person: () => null });
    const { workflowId } = await engine.send('First');
    await engine.event('approval-request');
    await engine.runtime.request('workflow.stop', { workflowId });
    await engine.ended(workflowId);
    expect((await engine.ask('Second')).outcome).toBe('completed');
    expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).toContain('Stopped by the person');
    engine.model.expectDone();
  });

  test('ends a message as cancelled if the stop comes right after the message was sent', async () => {
    // Without its end, which could come before the stop.
    const engine = await startEngine(new Script().on({}).reply([text('Fine.')], { hangAfter: 1 }));
    const { workflowId } = await engine.send('Hello');
    await engine.runtime.request('workflow.stop', { workflowId });
    expect((await engine.ended(workflowId)).outcome).toBe('cancelled');
    const row = await engine.store.workflow(workflowId);
    expect(row?.status).toBe('cancelled');
  });
});
