/** A picture that an agent reads is sent to its model, again with every later request, and stays in the history. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest } from '#core/model/model.ts';
import { estimatedInput } from '#core/runs/loop/request-meter.ts';
import { withImages } from '#core/runs/loop/with-images.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { answering, yes } from '../../support/compose.ts';
import { type Harness, startAgain, startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import type { WireBody } from '../../support/fake-model/request.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { png, RED } from '../../support/images.ts';
import { variations } from '../../support/samples.ts';

const LOOK = toolUse('read_file', { path: 'red.png' }, { id: 'look' });
const SAID = { type: 'text', text: '[The image red.png: image/png, 4 × 3 pixels, 73 bytes.]' };
const SHOWN = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: RED.toString('base64') } };

/** The content of the result of the call `look`, in a request. */
function lookIn({ messages }: WireBody): unknown {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.find((block) => block.tool_use_id === 'look')?.content;
}
const looks = ({ model }: Harness): unknown[] => model.requests.map(({ body }) => lookIn(body));
const keptIn = async ({ folder, conversationId }: Harness): Promise<string[]> =>
  (await readdir(join(`${folder}-replaced`, conversationId))).map((name) => join(conversationId, name));

test('sends an image to the model in every request and keeps its bytes after the file is deleted', async () => {
  const script = new Script()
    .step([LOOK])
    .step([toolUse('glob', { pattern: '*' })])
    .step([text('Red.')])
    .step([text('Still red.')]);
  const engine = await startEngine(script, { files: { 'red.png': RED } });
  await engine.ask('Look');
  await rm(join(engine.folder, 'red.png'));
  await engine.ask('And now?');
  expect(looks(engine)).toEqual([undefined, [SAID, SHOWN], [SAID, SHOWN], [SAID, SHOWN]]);
  engine.model.expectDone();

  const [{ entry } = { entry: null }] = engine.of('tool-end');
  const image = entry!.image!;
  expect(image).toEqual({ mediaType: 'image/png', bytes: RED.length, width: 4, height: 3, sha256: image.sha256 });
  const { conversationId, runtime } = engine;
  const { sha256 } = image;
  const { data } = await runtime.request('call.image', { conversationId, sha256 });
  expect(Buffer.from(data, 'base64')).toEqual(RED);
  await expect(runtime.request('call.image', { conversationId, sha256: '../'.repeat(21) + 'x' })).rejects.toMatchObject(
    {
      code: 'bad_input',
    },
  );

  const exported = async (format: 'md' | 'json') =>
    (await runtime.request('conversation.export', { conversationId, format })).text;
  expect(await exported('md')).toContain('[The image red.png: image/png, 4 × 3 pixels');
  expect(await exported('json')).toContain(sha256);
});

test.for<[string, (kept: string) => Promise<void>]>(
  variations([
    ['changed', (kept) => writeFile(kept, png(4, 3))],
    ['missing', (kept) => rm(kept)],
  ]),
)('informs the model and the person if the stored image bytes are %s', async ([, harm]) => {
  const script = new Script()
    .step([LOOK])
    .step([text('Red.')])
    .step([text('Gone.')]);
  const engine = await startEngine(script, { files: { 'red.png': RED } });
  await engine.ask('Look');
  const [kept] = await keptIn(engine);
  await harm(join(`${engine.folder}-replaced`, kept!));
  await engine.ask('And now?');
  const gone = `${SAID.text}\n[This image is not kept any more and is not shown: read the file again.]`;
  expect(looks(engine)).toEqual([undefined, [SAID, SHOWN], gone]);
  const { sha256 } = engine.of('tool-end')[0]!.entry.image!;
  const { conversationId } = engine;
  await expect(engine.runtime.request('call.image', { conversationId, sha256 })).rejects.toMatchObject({
    code: 'not_found',
    message: 'This image is not kept any more',
  });
});

test('sends the stored image bytes for a question about a call and in a resumed run, even if the file changed', async () => {
  const store = await memoryStore();
  const script = new Script();
  script.on({ lastUser: /has a question about your call/ }).reply([text('It is better.')]);
  script.on({ step: 1 }).reply([LOOK]);
  script.on({ step: 2 }).reply([toolUse('write_file', { path: 'red.png', content: 'no image' })]);
  script.on({}).reply([text('Done.')]);
  const engine = await startEngine(script, { store: lasting(store), person: () => null, files: { 'red.png': RED } });
  const { workflowId } = await engine.send('Go');
  const { approval } = await engine.event('approval-request');
  await engine.runtime.request('approval.ask', { approvalId: approval.id, question: 'Why?' });
  await engine.event('context-end');
  await engine.runtime.close();
  const again = await startAgain(engine, store);
  await answering(again, yes);
  await again.request('workflow.resume', { workflowId });
  await eventually(async () => expect(await store.workflow(workflowId)).toMatchObject({ status: 'completed' }));
  expect(looks(engine).slice(1)).toEqual([
    [SAID, SHOWN],
    [SAID, SHOWN],
    [SAID, SHOWN],
  ]);
});

/** A request whose only result is a picture of this many pixels. */
function requestWith(width: number, height: number, bytes = 100): ModelRequest {
  const image = { mediaType: 'image/png' as const, bytes, width, height, sha256: `${bytes}` };
  const result = { type: 'tool_result' as const, toolCallId: 'c', output: '', isError: false, image };
  const fields = { model: 'm', maxTokens: 1, effort: null, system: '', tools: [], toolChoice: 'auto' as const };
  return { ...fields, messages: [{ role: 'user', content: [result] }] };
}

test('estimates image tokens from the pixel count, capped at the size of the largest image sent', () => {
  expect([requestWith(750, 100), requestWith(1, 1), requestWith(4000, 4000)].map((one) => estimatedInput(one))).toEqual(
    [100, 1, 1600],
  );
});

test.for<[string, number, number, number]>([
  ['many', 25, 1000, 20],
  ['large', 6, 3_750_000, 4],
])('sends only the newest of %s images and replaces the older images by text', async ([, count, bytes, shown]) => {
  const messages = Array.from({ length: count }, () => requestWith(1, 1, bytes).messages).flat();
  const results = (
    await withImages(messages, { image: () => Promise.resolve(png(1, 1)), requests: { seesImages: true } })
  ).flatMap((message) => (message.role === 'user' ? message.content : []));
  const isShown = results.map((part) => part.type === 'tool_result' && part.image?.data !== undefined);
  expect(isShown).toEqual([...Array<boolean>(count - shown).fill(false), ...Array<boolean>(shown).fill(true)]);
  expect(results[0]).toMatchObject({ output: expect.stringContaining('newer ones have come') as string });
});

test('sends a line of text in place of each image to a model without vision support', async () => {
  const script = new Script().step([LOOK]).step([text('Nothing to see.')]);
  const settings = '[providers.anthropic.models.claude-sonnet-5-5]\nsupports_vision = false\n';
  const engine = await startEngine(script, { files: { 'red.png': RED }, settings });
  await engine.ask('Look');
  expect(JSON.stringify(looks(engine)[1])).toContain('This model is not shown images');
  expect(JSON.stringify(looks(engine)[1])).not.toContain(RED.toString('base64'));
});
