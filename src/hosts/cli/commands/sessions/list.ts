/** `triad sessions list`: conversations, newest first, as a table or JSON. */
import type { Client } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { listedSession, type ListedSession } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { isListWhole } from './load-session.ts';

/** Conversations of one request. */
const PAGE = 200;
/** Rows of a table without a limit. */
const SHOWN = 50;

/** Without a limit, JSON lists everything and the table the newest page. */
export async function listSessions(
  { screen, signal }: Io,
  client: Client,
  options: { json?: boolean; limit?: number; trash?: boolean },
): Promise<void> {
  const list = options.trash ? 'trash.list' : 'conversation.list';
  const most = options.limit ?? (options.json ? Infinity : SHOWN);
  const sessions: ListedSession[] = [];
  let before: string | null = null;
  do {
    signal.throwIfAborted();
    const limit = Math.min(PAGE, most - sessions.length);
    const page: { items: ConversationRow[]; next: string | null } = await client.request(list, {
      limit,
      ...(before === null ? {} : { before }),
    });
    const conversationIds = page.items.map(({ id }) => id);
    const work = await client.request('conversation.work', { conversationIds });
    sessions.push(...page.items.map((conversation, at) => ({ conversation, workflows: work[at]?.workflows ?? [] })));
    before = page.next;
  } while (before !== null && sessions.length < most);

  const isWhole = before !== null || (await isListWhole(screen, client));
  if (options.json) return screen.data(`${JSON.stringify(sessions.map(listedSession), null, 2)}\n`);
  if (sessions.length === 0) {
    if (isWhole) screen.note(options.trash ? 'The trash is empty.' : 'No sessions yet.');
    return;
  }
  const { sessionTable } = await import('../../render/session-table.ts');
  for (const line of sessionTable(sessions, screen.width)) screen.data(`${line}\n`);
  if (before !== null) screen.note(`Only the newest ${sessions.length}: more with --limit.`);
  if (options.trash) screen.note('To get one back: triad sessions restore ID');
}
