/** What a fork took over survives a kill, a recovery and the end of the first conversation; a fork that was cut off is none. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Harness, startEngine, talkIn } from '../../support/engine.ts';
import { Script, text } from '../../support/fake-model/script.ts';
import { RED } from '../../support/images.ts';
import { startCollector } from '../../support/telemetry/collector.ts';
import { lasting, memoryStore } from '../../support/stores/pooled.ts';
import { folderWith } from '../../support/workspace.ts';
import { fullTest, inFullRun } from '../../support/samples.ts';
import { copyStoreFiles } from '../../support/stores/copy-store.ts';
import { rebuilt } from '../../support/stores/rebuilt.ts';
import { storeAt } from '../../support/stores/on-disk.ts';

const script = () => new Script().on({}).reply([text('Done.')]);
const red = { mediaType: 'image/png' as const, data: RED.toString('base64') };

test('a fork is unchanged after restart and store rebuild, and an incomplete fork cannot be restored', async () => {
  const data = await folderWith();
  const store = inFullRun ? await storeAt(join(data, 'store')) : await memoryStore();
  /** The program dies after it stored the row of a new conversation. */
  let diesAtFork = false;
  let dead = false;
  const commit: Harness['store']['commit'] = async (items) => {
    if (dead) return;
    await store.commit(items);
    dead = diesAtFork && items.some((item) => 'table' in item && item.table === 'conversation');
  };
  const restore: Harness['store']['restore'] = async (id) => dead || store.restore(id);
  const engine = await startEngine(script(), {
    store: { ...(inFullRun ? store : lasting(store)), commit, restore },
  });
  const { runtime, conversationId } = engine;
  await engine.ask('First');
  const { workflowId } = await engine.ask('Second');
  const made = await runtime.request('conversation.fork', { conversationId, workflowId });

  diesAtFork = true;
  await runtime.request('conversation.fork', { conversationId, workflowId }).catch(() => undefined);
  expect((await store.trashed({ limit: 9 })).items).toHaveLength(1);
  if (inFullRun) await copyStoreFiles(join(data, 'store'), join(data, 'killed'));
  else await runtime.close();

  const killed = await startEngine(script(), {
    store: inFullRun ? await storeAt(join(data, 'killed')) : store,
  });
  const snapshot = ({ runtime: own } = killed) => own.request('conversation.snapshot', { conversationId: made.id });
  const listed = async ({ runtime: own } = killed) => {
    const [plain, sorted] = [{}, { sort: 'cost' as const }].map((how) => own.request('workflow.list', how));
    return [(await plain!).items, (await sorted!).items].map((items) => items.map((one) => one.conversationId));
  };
  const before = await snapshot();
  expect(before.conversation.from).toEqual(made.from);
  expect(before.workflows.map(({ prompt, outcome }) => [prompt, outcome])).toEqual([
    ['First', 'completed'],
    ['Second', 'completed'],
  ]);
  expect(await listed()).toEqual([
    [conversationId, conversationId],
    [conversationId, conversationId],
  ]);
  const [cut] = (await killed.runtime.request('trash.list', {})).items;
  expect(cut?.from).toMatchObject({ conversationId, whole: false });
  await expect(killed.runtime.request('conversation.restore', { conversationId: cut?.id ?? '' })).rejects.toMatchObject(
    { code: 'conflict', message: expect.stringContaining('fork it again') as string },
  );

  const again = await startEngine(script(), { store: await rebuilt(killed.store) });
  expect(await snapshot(again)).toEqual(before);
  expect(await listed(again)).toEqual([
    [conversationId, conversationId],
    [conversationId, conversationId],
  ]);
  expect((await again.runtime.request('store.unlisted', {})).workflows).toBe(0);
  const check = await again.runtime.request('conversation.check', { conversationId: made.id });
  expect(check).toMatchObject({ workflows: 2, missing: [] });
});

test('a fork keeps its own copies of pictures after the first conversation is purged', async () => {
  const engine = await startEngine(script());
  const { runtime, conversationId } = engine;
  const sent = await runtime.request('message.send', { conversationId, text: 'Which colour?', images: [red] });
  await engine.ended(sent.workflowId);
  const { id } = await runtime.request('conversation.fork', { conversationId, workflowId: sent.workflowId });
  await runtime.request('conversation.delete', { conversationId });
  await runtime.request('conversation.purge', { conversationId });
  const { workflows } = await runtime.request('conversation.snapshot', { conversationId: id });
  const sha256 = workflows[0]?.images?.[0]?.sha256 ?? '';
  expect(await runtime.request('call.image', { conversationId: id, sha256 })).toEqual({ data: red.data });
  const talk = await talkIn(runtime, id);
  await talk.ask('And now?').finally(talk.leave);
  expect(JSON.stringify(engine.model.requests.at(-1)?.body.messages)).toContain(red.data);
});

fullTest([
  'tests/core/host/telemetry/open-calls.test.ts › events that a fork has copied create no spans',
  'tests/core/workflows/fork.test.ts › copied work is not counted, listed or found twice, and the fork survives a purge of the first conversation',
])('telemetry creates no second spans for the copied events of a fork', async () => {
  const collector = await startCollector();
  const engine = await startEngine(script(), { settings: `telemetry.endpoint = "${collector.url}"\n` });
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('First');
  const each = (await collector.have(3)).length;
  const { id } = await runtime.request('conversation.fork', { conversationId, workflowId });
  const talk = await talkIn(runtime, id);
  await talk.ask('Second').finally(talk.leave);
  const spans = await collector.have(2 * each);
  expect(spans).toHaveLength(2 * each);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
});
