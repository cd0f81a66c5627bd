/** A recovery makes all read models again as they were, of listed and of deleted conversations. */
import { expect, test } from 'vitest';
import { rowsInParts } from '../../support/run-parts.ts';
import { rebuilt } from '../../support/stores/rebuilt.ts';
import { Conversation } from './finished.ts';
import { ENGINES } from './engines.ts';
import { openOn, type Opened } from './support.ts';

const TABLES = [
  ...['conversation', 'workflow', 'run', 'sub_agent_execution', 'approval', 'envelope'],
  ...['workflow_index', 'facet'],
];

async function tables({ store, database }: Opened): Promise<Record<string, unknown>> {
  await store.settled();
  const rows = await database.query(TABLES.map((table) => `SELECT * FROM ${table};`).join('\n'));
  const plain = JSON.parse(JSON.stringify(rows)) as object[][];
  // Which segment holds the words of a workflow is not a fact about it, and zeros are none.
  const facts = plain.map((found) =>
    found.filter((row) => !('count' in row && row.count === 0)).map((row) => ({ ...row, segments: null })),
  );
  const rest = Object.fromEntries(TABLES.map((table, index) => [table, facts[index]]));
  return { ...rest, ...(await rowsInParts(database)) };
}

test.for(ENGINES)('rebuilds equal rows from the events on %s', async (engine) => {
  const opened = await openOn(engine);
  const { store } = opened;
  const child = { agent: 'writer', tools: ['grep', 'read_file'], nanoUsd: 77, text: 'A heron \0 report' };
  const [one, gone] = [await new Conversation(store).create(), await new Conversation(store).create()];
  await new Conversation(store).create();
  for (let n = 0; n < 2; n += 1) await one.add({ prompt: `Prompt ${n}`, children: [child] });
  await one.add({ prompt: 'Still going', outcome: null });
  await gone.add({ prompt: 'In the trash', children: [child] });
  await store.trash(gone.row.id, '2026-03-02T00:00:00.000Z');
  const before = await tables(opened);
  const other = await openOn(engine);
  await rebuilt(store, other.store);
  expect(await tables(other)).toEqual(before);
  expect((await other.store.search({ text: 'heron report', limit: 9 })).items).toHaveLength(2);
  await other.close();
  await opened.close();
});
