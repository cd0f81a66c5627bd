/** Sessions that come faster than they are written: their Markdown waits for nobody, and each is read once, in few queries. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SessionProjector } from '#core/host/records/sessions/projector.ts';
import { storeOn } from '#core/store/store-on.ts';
import { eventually } from '../../../../support/eventually.ts';
import { folderWith } from '../../../../support/workspace.ts';
import { Conversation, type Finished } from '../../../store/finished.ts';
import { openOn } from '../../../store/support.ts';
import { fullTest } from '../../../../support/samples.ts';

/** The texts of envelopes, which events and rows share and bring along with each read. */
const ENVELOPES = /^SELECT record::id\(id\) AS key, text FROM \$records/;

/** A projector on a store whose queries are told. */
async function watched() {
  const opened = await openOn('mem');
  onTestFinished(() => opened.close());
  const { database } = opened;
  const asked: string[] = [];
  const { store } = storeOn({
    ...database,
    query: (sql, values) => {
      asked.push(`${sql} ${JSON.stringify(values)}`);
      return database.query(sql, values);
    },
  });
  const data = await folderWith({});
  const settings = { sessions: { project: false } };
  const onFailure = (notice: unknown): never => {
    throw new Error(JSON.stringify(notice));
  };
  const projector = new SessionProjector({ store, data, version: '0.0.0', settings, onFailure });
  onTestFinished(() => projector.close());
  const session = async (plan: Finished): Promise<Conversation> => {
    const conversation = await new Conversation(store).create();
    await conversation.add(plan);
    return conversation;
  };
  const observe = ({ recording }: Conversation) => {
    for (const event of recording.durable) projector.observe(event);
  };
  const written = async (count: number, behind: string[]) =>
    eventually(async () => {
      const names = await readdir(join(data, 'sessions'));
      expect(names.filter((name) => !name.startsWith('.'))).toHaveLength(count);
      expect(await readdir(join(data, 'sessions-behind'))).toEqual(behind);
    });
  return { store, projector, session, observe, written, asked };
}

fullTest('tests/core/host/records/sessions/flood.test.ts › rebuilding the files of a session reads no row twice')(
  'writes ended sessions while another session works, without a request and with few queries',
  async () => {
    const { store, session, observe, written, asked } = await watched();
    const working = await session({ prompt: 'A long one', outcome: null });
    observe(working);
    await written(1, [working.row.id]);
    const conversations: Conversation[] = [];
    for (let index = 0; index < 5; index += 1) conversations.push(await session({ prompt: `Question ${index}` }));
    await store.settled();
    asked.length = 0;
    for (const conversation of conversations) observe(conversation);
    await written(conversations.length + 1, [working.row.id]);
    // Its workflows, its last event, the events and the runs with their envelopes, the seal, and what the runs said and asked.
    expect(asked.length).toBeLessThan(9 * conversations.length);
  },
);

test('rebuilding the files of a session reads no row twice', async () => {
  const { projector, session, asked } = await watched();
  const child = { agent: 'reader', tools: ['read_file'], text: 'A report' };
  const conversation = await session({ lead: { tools: ['list_files'] }, children: [child, child] });
  await conversation.add({ prompt: 'Again' });
  await conversation.add({ children: [child] });
  asked.length = 0;
  expect(await projector.rebuild(conversation.row.id)).toMatchObject({ files: 5 });
  const rows = asked.filter((query) => !ENVELOPES.test(query.slice(0, query.indexOf(' {'))));
  expect(rows.length).toBeGreaterThan(4);
  expect(rows.filter((query, index) => rows.indexOf(query) < index)).toEqual([]);
});

test('the next files of a session read no stored event and no earlier workflow', async () => {
  const { projector, store, session, observe, written, asked } = await watched();
  const child = { agent: 'reader', tools: ['read_file'], text: 'A report' };
  const conversation = await session({ prompt: 'The first one', children: [child] });
  observe(conversation);
  await written(1, []);
  await conversation.add({ prompt: 'The second one', children: [child] });
  const [, second] = conversation.recording.durable.flatMap((event) =>
    event.type === 'workflow-start' ? [event.workflowId] : [],
  );
  asked.length = 0;
  for (const event of conversation.recording.durable) if (event.workflowId === second) projector.observe(event);
  const stored = await store.conversation(conversation.row.id);
  const folder = (stored && (await projector.folderOf(stored))) ?? '';
  await eventually(async () => expect(await readFile(join(folder, 'session.md'), 'utf8')).toContain('The second one'));
  expect(asked).toEqual([]);
});

test('a workflow with a missing entry is checked before its files are written', async () => {
  const { store, projector, session, written, asked } = await watched();
  const conversation = await session({ lead: { tools: ['list_files'] } });
  await store.settled();
  asked.length = 0;
  for (const event of conversation.recording.durable) if (event.type !== 'tool-end') projector.observe(event);
  await written(1, []);
  expect(asked.some((query) => query.includes('FROM event'))).toBe(true);
});
