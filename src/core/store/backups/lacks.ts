/** What a copy of a store lacks of what it should hold: the check of every conversation that anything in it names. */
import type { Lack } from '#contract/missing-text.ts';
import { checkConversation } from '../check.ts';
import type { Database } from '../database.ts';
import { newestWorkflows } from '../lists/lists.ts';
import { createQueries } from '../queries.ts';
import type { Counts } from './copy.ts';

/** `counts`: what a plain read of the tables gave. A read ends silently where a block cannot be read. */
export async function lacksOf(database: Database, counts: Counts): Promise<Lack[]> {
  const reads = {
    ...createQueries(database),
    workflows: (query: Parameters<typeof newestWorkflows>[1]) => newestWorkflows(database, query),
  };
  const lacks: Lack[] = [];
  const looked: Counts = { conversations: 0, workflows: 0, events: 0 };
  for (const id of await idsIn(database, reads)) {
    try {
      const { workflows, events, missing } = await checkConversation(reads, id);
      looked.workflows += workflows;
      looked.events += events;
      lacks.push(...missing);
    } catch {
      lacks.push({ kind: 'rows', count: 1 });
    }
    looked.conversations += 1;
  }
  if (lacks.length > 0) return lacks;
  // What is there, each by its own key, and is not listed.
  const unlisted = {
    rows: looked.conversations - counts.conversations,
    workflows: looked.workflows - counts.workflows,
    events: looked.events - counts.events,
  };
  for (const [kind, count] of Object.entries(unlisted))
    if (count > 0) lacks.push({ kind: kind as keyof typeof unlisted, count });
  return lacks;
}

/** Also those of which nothing is left but events. */
async function idsIn(database: Database, reads: Pick<ReturnType<typeof createQueries>, 'conversationIds'>) {
  const list = async (sql: string): Promise<string[]> => {
    const [found] = (await database.query(sql).catch(() => [[]])) as [string[]];
    return found;
  };
  const listed = await reads.conversationIds().catch(() => []);
  const owners = await list('RETURN array::distinct((SELECT VALUE record::id(id)[0] FROM event));');
  const going = await list('SELECT VALUE record::id(id) FROM purge');
  return new Set([...listed, ...owners]).difference(new Set(going));
}
