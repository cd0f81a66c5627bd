/** What comes with a message: pictures that the model sees and that are kept, and what was chosen for its lead. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { gif, RED } from '../../support/images.ts';
import { filesBelow } from '../../support/session-files.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { folderWith } from '../../support/workspace.ts';

const { start } = sharedEngine();

const red = { mediaType: 'image/png' as const, data: RED.toString('base64') };

test('a picture is sent to the model with its message and with later messages, and is stored and exported', async () => {
  const data = await folderWith();
  const engine = await startEngine(new Script().on({}).reply([text('Red.')]), { data });
  const { runtime, conversationId, model } = engine;
  const sent = await runtime.request('message.send', { conversationId, text: 'Which colour?', images: [red] });
  await engine.ended(sent.workflowId);
  await engine.ask('And now?');

  const source = { type: 'base64', media_type: 'image/png', data: red.data };
  for (const { body } of model.requests) {
    expect(body.messages[0]?.content).toMatchObject([
      { type: 'image', source },
      { type: 'text', text: 'Which colour?' },
    ]);
  }
  expect(model.requests).toHaveLength(2);
  const { workflows, entries } = await runtime.request('conversation.snapshot', { conversationId });
  const [image] = workflows[0]?.images ?? [];
  expect(image).toMatchObject({ mediaType: 'image/png', bytes: RED.length, width: 4, height: 3 });
  expect(entries[sent.runId]?.[0]).toMatchObject({ kind: 'user', text: 'Which colour?', images: [image] });
  const sha256 = image?.sha256 ?? '';
  expect(await runtime.request('call.image', { conversationId, sha256 })).toEqual({ data: red.data });

  const said = 'Sent with a picture: image/png, 4 × 3 pixels';
  const exported = async (format: 'md' | 'json') =>
    (await runtime.request('conversation.export', { conversationId, format })).text;
  expect((await exported('md')).split(said)).toHaveLength(2);
  expect(JSON.parse(await exported('json'))).toMatchObject({
    workflows: [{ images: [image], runs: [{ entries: [{ images: [image] }, {}] }] }, {}],
  });
  await runtime.request('conversation.project', { conversationId });
  const pages = Object.entries(await filesBelow(join(data, 'sessions')));
  expect(pages.find(([path]) => path.endsWith('session.md'))?.[1]).toContain(said);
});

test.each([
  [
    'another type than it says',
    [{ ...red, mediaType: 'image/jpeg' as const }],
    /is said to be image\/jpeg, but is image\/png/,
  ],
  ['one that is cut off', [{ ...red, data: RED.subarray(0, 20).toString('base64') }], /broken or not complete/],
  [
    'too many pixels',
    [{ mediaType: 'image/gif' as const, data: gif(9000, 10).toString('base64') }],
    /9000 × 10 pixels/,
  ],
  ['no base64', [{ ...red, data: '***' }], /not base64/],
  ['eleven', Array.from({ length: 11 }, () => red), /at most|too many/i],
])('rejects a message with a faulty picture and starts no workflow: %s', async (_what, images, why) => {
  const { runtime, conversationId, model } = await start(new Script());
  await expect(runtime.request('message.send', { conversationId, text: 'Look', images })).rejects.toThrow(why);
  expect((await runtime.request('conversation.snapshot', { conversationId })).workflows).toEqual([]);
  expect(model.requests).toEqual([]);
});

test('model and mode of a message apply to the lead for that message only, and are recorded', async () => {
  const engine = await start(new Script().on({}).reply([text('Done.')]));
  const { runtime, conversationId, model } = engine;
  const chosen = { model: 'opus', mode: 'selective' as const };
  const { workflowId, runId } = await runtime.request('message.send', { conversationId, text: 'Go', ...chosen });
  await engine.ended(workflowId);
  const { envelope } = await runtime.request('run.get', { runId });
  expect(envelope).toMatchObject({ approvalMode: 'selective', model: expect.stringContaining('opus') as unknown });
  expect(engine.of('workflow-start')[0]).toMatchObject({ chosen });
  await engine.ask('Again');
  expect(model.requests.map(({ body }) => body.model.includes('opus'))).toEqual([true, false]);
  const other = runtime.request('message.send', { conversationId, text: 'Go', provider: 'nobody' });
  await expect(other).rejects.toThrow('There is no provider "nobody"');
});

test('the lead of a conversation can be changed until its first message', async () => {
  const engine = await startEngine(new Script().on({}).reply([text('Done.')]));
  const { runtime, conversationId } = engine;
  const set = (agent: string) => runtime.request('conversation.set', { conversationId, agent });
  await expect(set('nobody')).rejects.toThrow('agent not found: "nobody"');
  expect(await set('code-reviewer')).toMatchObject({ agent: 'code-reviewer' });
  await engine.ask('Go');
  expect(engine.of('run-start')[0]?.agent).toBe('code-reviewer');
  await expect(set('lead')).rejects.toThrow('keeps the lead that it began with');
});
