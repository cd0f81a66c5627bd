/** `triad sessions list`: conversations, newest first, as a table or JSON. */
import type { Client } from '#contract/rpc.ts';
import { listedSession, type Session } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { isListWhole, wholeSession } from './load-session.ts';

const PAGE = 50;

/** Without a limit, JSON lists everything and the table the newest page. */
export async function listSessions(
  { screen, signal }: Io,
  client: Client,
  options: { json?: boolean; limit?: number; trash?: boolean },
): Promise<void> {
  const list = options.trash ? 'trash.list' : 'conversation.list';
  const most = options.limit ?? (options.json ? Infinity : PAGE);
  const sessions: Session[] = [];
  let before: string | null = null;
  do {
    signal.throwIfAborted();
    const limit = Math.min(PAGE, most - sessions.length);
    const page: { items: { id: string }[]; next: string | null } = await client.request(list, {
      limit,
      ...(before === null ? {} : { before }),
    });
    for (const { id } of page.items) {
      sessions.push(await wholeSession(client, await client.request('conversation.snapshot', { conversationId: id })));
    }
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
