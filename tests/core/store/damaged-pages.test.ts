/** Pages of a history of which a row cannot be read: they show everything else, in the app and in the terminal. */
import { expect, test } from 'vitest';
import { commandLine } from '../../hosts/support/memory-io.ts';
import { startEngine } from '../../support/engine.ts';
import { Script } from '../../support/fake-model/script.ts';
import { pooledDatabase } from '../../support/stores/pooled.ts';
import { type DamagedRows, withDamagedRows } from './damaged-rows.ts';
import { Conversation } from './finished.ts';
import { openStoreOn } from './support.ts';

/** A conversation with two workflows, whose lead of the second one wrote "Second". */
async function seeded() {
  const database = await pooledDatabase('mem');
  let damage: DamagedRows | null = null;
  const store = openStoreOn(withDamagedRows(database, () => damage));
  const conversation = await new Conversation(store, { title: 'Two questions' }).create();
  const children = [{ agent: 'writer', tools: ['grep'] }];
  await conversation.addAll([
    { lead: { text: 'First answer' }, children },
    { lead: { text: 'Second answer' }, children },
  ]);
  await store.settled();
  const engine = await startEngine(new Script(), { store });
  const { id: conversationId } = conversation.row;
  const triad = commandLine(engine.runtime);
  const readPage = () => engine.runtime.request('conversation.snapshot', { conversationId });
  const read = async () => {
    const page = await readPage();
    const details = page.workflows.map(({ id: workflowId }) => engine.runtime.request('workflow.get', { workflowId }));
    return { page, details: await Promise.all(details), show: await triad('sessions', 'show', conversationId) };
  };
  return { store, database, read, readPage, triad, conversationId, setDamage: (rows: DamagedRows) => (damage = rows) };
}

test.each(['run', 'run_part', 'approval', 'permission_grant', 'sub_agent_execution'])(
  'shows a conversation and its trace if a row of %s is unreadable',
  async (table) => {
    const { store, database, read, triad, conversationId, setDamage } = await seeded();
    const whole = await read();
    expect(whole.page.workflows).toHaveLength(2);
    expect(whole.show.code).toBe(0);
    const [[damaged]] = (await database.query(`SELECT VALUE id FROM ${table} ORDER BY id DESC LIMIT 1`)) as [unknown[]];
    setDamage({ table, record: String(damaged) });
    const { page, details, show } = await read();
    expect(page.workflows).toEqual(whole.page.workflows);
    expect(details.map(({ workflow }) => workflow)).toEqual(whole.details.map(({ workflow }) => workflow));
    expect(show.code).toBe(0);
    expect(show.out).toContain('First answer');
    expect((await triad('sessions', 'trace', conversationId, '--json')).code).toBe(0);
    if (table === 'run') expect(page.runs.length).toBe(whole.page.runs.length - 1);
    const isRead = ['run', 'run_part'].includes(table);
    if (isRead) expect(store.notices.current?.message).toContain('left out of lists and pages');
  },
);

test('reports every other failure of the database, instead of an incomplete list', async () => {
  const { readPage, setDamage } = await seeded();
  setDamage({ table: 'run', record: null, failure: new Error('The link broke') });
  await expect(readPage()).rejects.toThrow('The link broke');
});
