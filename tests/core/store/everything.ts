/** All that can be read of a store, as one digest for each kind of read. */
import { hash } from 'node:crypto';
import type { ConversationRow } from '#contract/view.ts';
import { exportConversation } from '#core/host/records/export/export.ts';
import type { Page, Paged, Store } from '#core/store/store.ts';

export interface Digests {
  /** Number of events that can be read. */
  stored: number;
  digests: Record<string, string>;
}

/** `exports`: those of all conversations as well, which takes most of the time. */
export async function digestsOf(store: Store, exports = true): Promise<Digests> {
  await store.settled();
  const found = await everything(store, exports);
  const digests = Object.entries(found).map(([name, value]) => [name, digest(value)]);
  return { stored: found.events.flat().length, digests: Object.fromEntries(digests) as Record<string, string> };
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}

/** Without the time at which it was made. */
async function exported(store: Store, row: ConversationRow, format: 'json' | 'md'): Promise<string> {
  const { text } = await exportConversation(store, row, { format, version: '1' });
  return text.replace(/"exportedAt": *"[^"]*"/, '');
}

async function all<T>(read: (page: Page) => Promise<Paged<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let before: string | null | undefined; before !== null;) {
    const page = await read({ before, limit: 200 });
    items.push(...page.items);
    before = page.next;
  }
  return items;
}

async function everything(store: Store, exports: boolean) {
  const ids = await store.conversationIds();
  const conversations = [
    ...(await all((page) => store.conversations(page))),
    ...(await all((page) => store.trashed(page))),
  ];
  const workflows = await Promise.all(ids.map((id) => all((page) => store.workflows({ ...page, conversationId: id }))));
  const runs = await Promise.all(workflows.flat().map(({ id }) => store.runsOf([id])));
  const runIds = runs.flat().map(({ id }) => id);
  const details = [];
  // One after the other: the memory that they take is that of one.
  for (const { id } of workflows.flat())
    details.push(digest([await store.requestsOf(id), await store.approvalsOf([id])]));
  const files = [];
  for (const row of exports ? conversations : [])
    for (const format of ['json', 'md'] as const) files.push(digest(await exported(store, row, format)));
  return {
    conversations,
    workflows,
    runs,
    details,
    files,
    events: await Promise.all(ids.map((id) => store.events(id, 1, 1e6))),
    entries: await Promise.all(runIds.map((id) => store.entriesOf(id))),
    calls: await store.callsOf(runIds),
    executions: [await all((page) => store.executions(page)), await store.executionsOf(runIds)],
    lists: [
      await all((page) => store.workflows({ ...page, sort: 'cost' })),
      await store.facets(),
      await store.executionFacets(),
      await store.unfinishedWorkflows(),
      await store.sessionWork(ids),
    ],
    search: [
      await all((page) => store.search({ ...page, text: 'heron stands' })),
      await all((page) => store.search({ ...page, text: 'otters' })),
    ],
  };
}
