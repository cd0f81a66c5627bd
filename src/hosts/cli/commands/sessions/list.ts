/** `triad sessions list`: lists conversations, newest first, as a table or JSON. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import type { ConversationRow } from '#contract/view.ts';
import { withClient } from '../../follow/link.ts';
import type { ListedSession } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { json, limit } from '../parameters.ts';
import { isListWhole } from './load-session.ts';

interface Options {
  trash?: boolean;
  limit?: number;
  json?: boolean;
}

export function addSessionsList(sessions: Command, io: Io): void {
  sessions
    .command('list')
    .description('list sessions, newest first')
    .option('--trash', 'list deleted sessions, which can be restored')
    .addOption(limit())
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => listSessions(io, client, options)));
}

/** Conversations of one request. */
const PAGE = 200;
/** Number of rows of a table without `--limit`. */
const SHOWN = 50;

/** Lists the conversations. Without a limit, JSON has all of them, and the table has the newest page. */
async function listSessions({ screen, signal }: Io, client: Client, options: Options): Promise<void> {
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
  if (options.json) {
    const { listedSession } = await import('../../render/session-json.ts');
    return screen.data(`${JSON.stringify(sessions.map(listedSession), null, 2)}\n`);
  }
  if (sessions.length === 0) {
    if (isWhole) screen.note(options.trash ? 'The trash is empty.' : 'No sessions yet.');
    return;
  }
  const { sessionTable } = await import('../../render/session-table.ts');
  for (const line of sessionTable(sessions, screen.width)) screen.data(`${line}\n`);
  if (before !== null) screen.note(`Only the newest ${sessions.length}: more with --limit.`);
  if (options.trash) screen.note('To get one back: triad sessions restore ID');
}
