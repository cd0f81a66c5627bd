/** `triad sessions project`: writes the Markdown files of sessions again, from the history. */
import type { Command } from 'commander';
import { missingText } from '#contract/missing-text.ts';
import type { Client, Output } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { json, sessionArgument } from '../parameters.ts';
import { isListWhole, resolveSessionId } from './load-session.ts';

interface Options {
  json?: boolean;
}

export function addSessionsProject(sessions: Command, io: Io): void {
  sessions
    .command('project')
    .description('write the Markdown files of a session, or of all sessions, again from the history')
    .addArgument(sessionArgument('[id]'))
    .addOption(json())
    .action((id: string | undefined, options: Options) =>
      withClient(io, (client) => projectSessions(io, client, id, options)),
    );
}

const PAGE = 50;
const KEPT = ' Its files stay as they are, because they may have more.';

/** Writes the files, and prints the folder of each session; without an id, of all that are not in the trash. */
async function projectSessions(
  { screen, signal }: Io,
  client: Client,
  word: string | undefined,
  { json }: Options,
): Promise<void> {
  const ids =
    word === undefined ? everyId(client, signal) : [await resolveSessionId(client, word, ['conversation.list'])];
  const made: ({ id: string } & Output<'conversation.project'>)[] = [];
  for await (const id of ids) {
    signal.throwIfAborted();
    const projected = await client.request('conversation.project', { conversationId: id });
    const notice = missingText(projected.missing);
    if (notice !== null) screen.note(`${visible(projected.folder)}: ${notice}${projected.files === 0 ? KEPT : ''}`);
    // A session without a message has no folder.
    if (projected.files === 0 && notice === null) continue;
    made.push({ id, ...projected });
    if (!json) screen.data(`${visible(projected.folder)}\n`);
  }
  const isWhole = word !== undefined || (await isListWhole(screen, client));
  if (json) screen.data(`${JSON.stringify(made, null, 2)}\n`);
  else if (made.length === 0 && isWhole) screen.note('No sessions yet.');
}

async function* everyId(client: Client, signal: AbortSignal): AsyncGenerator<string> {
  let before: string | null = null;
  do {
    signal.throwIfAborted();
    const page: Output<'conversation.list'> = await client.request('conversation.list', {
      limit: PAGE,
      ...(before === null ? {} : { before }),
    });
    for (const { id } of page.items) yield id;
    before = page.next;
  } while (before !== null);
}
