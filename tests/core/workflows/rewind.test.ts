/** Going back to before a message: its files are put back, the lead knows nothing of it, nothing is lost, and all of it comes back. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openStore } from '#core/store/surreal.ts';
import { memoryStore } from '../../support/stores/pooled.ts';
import { Changes } from '#core/workspace/changes.ts';
import { startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { inFullRun } from '../../support/samples.ts';
import { Gate } from '../../support/gate.ts';
import { folderWith } from '../../support/workspace.ts';

type Engine = Awaited<ReturnType<typeof startEngine>>;

const write = (id: string, path: string, content: string) => toolUse('write_file', { path, content }, { id });

/** The second message has the lead and a sub-agent write; the third one looks for what was reported, in `report`. */
function script(report = { runId: 'none' }): Script {
  return new Script()
    .on({ ...CHILD, step: 1 })
    .reply([write('scout_1', 'scout.txt', 'by the scout')])
    .on(CHILD)
    .reply([text('# Report\n\nThe wombat is in the cellar.')])
    .on({ ...LEAD, asked: /^First/, step: 1 })
    .reply([write('call_1', 'a.txt', 'first')])
    .on({ ...LEAD, asked: /^Second/, step: 1 })
    .reply([
      write('call_2', 'a.txt', 'second'),
      spawn({ name: 'scout', prompt: 'Find it.', tools: ['write_file'] }, 'call_3'),
    ])
    .on({ ...LEAD, asked: /^Third/, step: 1 })
    .reply(() => [
      toolUse('semantic_search', { query: 'wombat' }, { id: 'call_1' }),
      toolUse('read_report', { run_id: report.runId }, { id: 'call_9' }),
    ])
    .on({})
    .reply([text('Done.')]);
}

const messagesOf = (engine: Engine, asked: RegExp): string[] =>
  engine.model.requests.filter(({ seen }) => asked.test(seen.asked)).map(({ body }) => JSON.stringify(body.messages));

const start = async (options: Parameters<typeof startEngine>[1] = {}, words = script()): Promise<Engine> => {
  const engine = await startEngine(words, { files: { 'a.txt': 'before' }, ...options });
  await engine.ask('First');
  return engine;
};

const left = async ({ runtime, conversationId }: Engine) =>
  (await runtime.request('conversation.snapshot', { conversationId })).workflows.map((row) => row.left ?? false);

async function rewind({ runtime, conversationId }: Engine, workflowId: string, isLeft: boolean): Promise<void> {
  await runtime.request('conversation.rewind', { conversationId, workflowId, left: isLeft });
}

const put = ({ runtime, conversationId }: Engine, fromWorkflowId: string, how = {}) =>
  runtime.request('change.undo', { conversationId, target: { fromWorkflowId }, ...how });

/** The first request of the third message in what a kill has left. */
async function askedAfterKill(
  place: string,
  report: { runId: string },
  conversationId: string,
): Promise<string | undefined> {
  const killed = await startEngine(script(report), { store: await openStore({ url: `rocksdb://${place}` }) });
  const ended = Promise.withResolvers<void>();
  await killed.runtime.subscribe('conversation', { conversationId }, ({ type }) => {
    if (type === 'workflow-end') ended.resolve();
  });
  await killed.runtime.request('message.send', { conversationId, text: 'Third', approve: 'ask' });
  await ended.promise;
  return messagesOf({ ...killed, conversationId }, /^Third/)[0];
}

test('the next request is byte for byte one without the message; rows made anew, in the full run a kill, keep that; told again, all is back', async () => {
  const data = await folderWith();
  const store = inFullRun ? await openStore({ url: `rocksdb://${join(data, 'store')}` }) : await memoryStore();
  const report = { runId: '' };
  const [engine, other] = await Promise.all([start({ store }, script(report)), start({}, script(report))]);
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Second');
  const file = (path: string) => readFile(join(engine.folder, path), 'utf8');
  const { runs } = await runtime.request('workflow.get', { workflowId });
  report.runId = runs.find(({ parentRunId }) => parentRunId !== null)?.id ?? '';

  const outcomes = await put(engine, workflowId);
  expect(outcomes.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: 'a.txt', outcome: 'put_back' },
    { path: 'scout.txt', outcome: 'put_back' },
  ]);
  expect(await file('a.txt')).toBe('first');
  await expect(file('scout.txt')).rejects.toThrow('ENOENT');
  await rewind(engine, workflowId, true);
  await rewind(engine, workflowId, true);
  expect(engine.of('workflow-leave')).toMatchObject([{ workflowId, left: true, agent: 'lead' }]);
  expect(await left(engine)).toEqual([false, true]);

  // What a kill leaves is what is on the disk now; elsewhere all rows are made of the events anew.
  if (inFullRun) await cp(join(data, 'store'), join(data, 'killed'), { recursive: true });
  else await store.rebuild();
  expect(await left(engine)).toEqual([false, true]);
  await Promise.all([engine.ask('Third'), other.ask('Third')]);
  const third = messagesOf(engine, /^Third/);
  expect(third).toHaveLength(2);
  expect(third).toEqual(messagesOf(other, /^Third/));
  expect(third.join('')).not.toMatch(/Second|wombat is|scout|undid/);

  if (inFullRun) expect(await askedAfterKill(join(data, 'killed'), report, conversationId)).toBe(third[0]);

  await put(engine, workflowId, { redo: true });
  expect([await file('a.txt'), await file('scout.txt')]).toEqual(['second', 'by the scout']);
  await rewind(engine, workflowId, false);
  await engine.ask('Fourth');
  const fourth = messagesOf(engine, /^Fourth/).at(-1) ?? '';
  expect(fourth).toMatch(/"Second"[^]*wombat is in the cellar[^]*"Third/);
  expect(await left(engine)).toEqual([false, false, false, false]);
});

test('of one undo of several messages the lead is told what concerns those that it knows', async () => {
  const engine = await start();
  const { runtime, conversationId } = engine;
  const [row] = await runtime.request('change.list', { conversationId });
  const { workflowId } = await engine.ask('Second');
  await put(engine, row?.workflowId ?? '');
  await rewind(engine, workflowId, true);
  await engine.ask('Later');
  const [first] = messagesOf(engine, /^Later/);
  expect(first).toContain('- undid what lead did: a.txt\\n');
  expect(first).not.toContain('scout');
});

test('a later message goes with it, ids of its calls stay taken, and a later conflict is said before anything is done', async () => {
  const engine = await start();
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('Second');
  await engine.ask('Later');
  await writeFile(join(engine.folder, 'a.txt'), 'mine');
  const elsewhere = { folder: '/elsewhere', at: '2026-01-01T00:00:00.000Z', notKept: [] };
  const files = [{ path: 'c.txt', before: null, after: null }];
  const ids = { conversationId, workflowId, runId: workflowId, toolCallId: 'call_0', agent: 'lead', tool: 'bash' };
  await new Changes(`${engine.folder}-replaced`).keep({ ...ids, ...elsewhere, files }, []);
  expect(await put(engine, workflowId, { preview: true })).toEqual(
    expect.arrayContaining([
      { path: 'scout.txt', outcome: 'put_back' },
      expect.objectContaining({ path: 'a.txt', outcome: 'conflict', says: { key: 'change_in_the_way', values: {} } }),
      expect.objectContaining({
        path: '/elsewhere/c.txt',
        outcome: 'conflict',
        says: { key: 'other_folder', values: {} },
      }),
    ]),
  );
  await expect(put(engine, workflowId)).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(join(engine.folder, 'scout.txt'), 'utf8')).toBe('by the scout');
  await put(engine, workflowId, { leave: true });
  expect(await readFile(join(engine.folder, 'a.txt'), 'utf8')).toBe('mine');
  expect(await put(engine, workflowId, { redo: true })).toEqual([{ path: 'scout.txt', outcome: 'put_back' }]);
  await expect(put(engine, workflowId, { redo: true })).rejects.toThrow('Nothing of this is undone');
  await rewind(engine, workflowId, true);
  expect(await left(engine)).toEqual([false, true, true]);
  await engine.ask('Second again');
  const calls = engine.of('tool-end').flatMap(({ entry, agent }) => (agent === 'lead' ? [entry.toolCallId] : []));
  expect(new Set(calls).size).toBe(calls.length);
  const { text: markdown } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  expect(markdown.match(/The lead is not told of this any more/g)).toHaveLength(2);
  expect(markdown).toContain('wombat is in the cellar');
});

test('nothing goes back while something works, in the trash, or where there is no such message', async () => {
  const gate = new Gate();
  const held = new Script()
    .on({ asked: /^Hold/ })
    .reply([text('Held.')], { hold: gate.at(0) })
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(held);
  const { runtime, conversationId } = engine;
  const { workflowId } = await engine.ask('First');
  const hold = await engine.send('Hold');
  const busy = 'Something runs or waits in this conversation: stop it first';
  await expect(rewind(engine, workflowId, true)).rejects.toMatchObject({ code: 'conflict', message: busy });
  gate.open();
  await engine.ended(hold.workflowId);
  await expect(rewind(engine, conversationId, true)).rejects.toMatchObject({ code: 'not_found' });

  await runtime.request('conversation.delete', { conversationId });
  await expect(rewind(engine, workflowId, false)).rejects.toMatchObject({
    code: 'conflict',
    message: 'This conversation is in the trash: restore it first',
  });
});

test('a message that is sent while it is stored waits for it', async () => {
  const store = await memoryStore();
  let slow = false;
  const slowly = async (): Promise<void> => void (slow && (await delay(30)));
  const engine = await startEngine(new Script().on({}).reply([text('Done.')]), {
    store: {
      ...store,
      workflows: async (query) => slowly().then(() => store.workflows(query)),
      commit: async (events, writes) => {
        if (events.some(({ type }) => type === 'workflow-leave')) await slowly();
        await store.commit(events, writes);
      },
    },
  });
  const { workflowId } = await engine.ask('First');
  slow = true;
  const [, sent] = await Promise.all([rewind(engine, workflowId, true), engine.send('Second')]);
  await engine.ended(sent.workflowId);
  expect(messagesOf(engine, /^Second/)).not.toContainEqual(expect.stringContaining('First'));
});
