// What a person keeps of a conversation: its title and its pin, through restarts, replays and recoveries, and in its files.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeOn } from '#core/store/store-on.ts';
import { startEngine } from '../../../../support/engine.ts';
import { eventually } from '../../../../support/eventually.ts';
import { Script, text } from '../../../../support/fake-model/script.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { conversation, eventsOf } from '../../../store/random-history.ts';
import { openOn } from '../../../store/support.ts';
import { eventItems, setFields } from '../../../../support/commit-items.ts';
import { rebuilt } from '../../../../support/stores/rebuilt.ts';

const says = () => new Script().on({}).reply([text('Done.')]);

test('a new title and a pin survive a rebuild and do not count as use of the conversation', async () => {
  const engine = await startEngine(says());
  await engine.ask('Look at the parser');
  const { conversationId, runtime, store } = engine;
  const before = await store.conversation(conversationId);
  const kept = await runtime.request('conversation.keep', { conversationId, title: '  The\nparser ', pinned: true });
  expect(kept).toEqual({ ...before, title: 'The parser', firstTitle: 'Look at the parser', pinned: true });
  expect(await (await rebuilt(store)).conversation(conversationId)).toEqual(kept);
  const { items } = await runtime.request('conversation.list', { text: 'the PARSER' });
  expect(items).toEqual([kept]);
  const { text: markdown } = await runtime.request('conversation.export', { conversationId, format: 'md' });
  expect(markdown).toMatch(/^# The parser$/m);
});

test('a conversation with an emptied title gets the title of its first message, even if named earlier', async () => {
  const engine = await startEngine(says());
  const { conversationId, runtime } = engine;
  await runtime.request('conversation.keep', { conversationId, title: 'Named first' });
  await engine.ask('Look at the parser');
  expect((await engine.store.conversation(conversationId))?.title).toBe('Named first');
  expect((await runtime.request('conversation.keep', { conversationId, title: ' ' })).title).toBe('Look at the parser');
});

test('renaming a conversation changes the heading of its Markdown file, but not the folder name', async () => {
  const data = await folderWith({});
  const engine = await startEngine(says(), { data });
  await engine.ask('Look at the parser');
  const { conversationId, runtime } = engine;
  const { folder } = await runtime.request('conversation.project', { conversationId });
  await runtime.request('conversation.keep', { conversationId, title: 'Another name' });
  await eventually(async () => expect(await readFile(join(folder, 'session.md'), 'utf8')).toMatch(/^# Another name$/m));
  expect(await readdir(join(data, 'sessions'))).toHaveLength(1);
  expect((await runtime.request('conversation.folder', { conversationId })).folder).toBe(folder);
});

test('a title and a pin survive a crash right after they were stored in one commit with events', async () => {
  const opened = await openOn('mem');
  try {
    const { store } = opened;
    await store.commit([conversation]);
    const events = eventsOf([{ children: [], outcome: 'completed', resumed: false }]).slice(0, 1);
    const { key } = conversation;
    const named = setFields('conversation', key, { title: 'Mine', pinned: true });
    await store.commit([...eventItems(events), named]);
    const next = storeOn(opened.database);
    await next.recover();
    expect(await next.store.conversation(key)).toMatchObject({ title: 'Mine', pinned: true });
  } finally {
    await opened.close();
  }
});
