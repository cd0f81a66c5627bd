/** What a person keeps of a conversation: a title of their own, and whether it is pinned. */
import type { ConversationRow } from '#contract/view.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import type { Engine } from '../runs/engine.ts';

/** Neither is work: when the conversation was last used stays as it was. */
export async function keep(
  { log, store }: Pick<Engine, 'log' | 'store'>,
  { id, title: old, firstTitle = old }: ConversationRow,
  { title, pinned }: { title?: string | undefined; pinned?: boolean | undefined },
): Promise<void> {
  const words = title?.replace(/\s+/g, ' ').trim();
  const named = words === undefined ? {} : { firstTitle, title: words === '' ? await titleSaid(store, id) : words };
  const set = { ...named, ...(pinned !== undefined && { pinned }) };
  if (Object.keys(set).length === 0) return;
  await log.save([{ table: 'conversation', key: id, change: (row) => ({ ...row, ...set }) }]);
}

async function titleSaid(store: Pick<Engine['store'], 'events'>, id: string): Promise<string> {
  const [first] = await store.events(id, 1, 1);
  return first?.type === 'workflow-start' ? titleOf(first.prompt) : '';
}
