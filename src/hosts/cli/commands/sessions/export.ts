/** `triad sessions export`: prints a whole session as text. */
import { type Command, Option } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { sessionArgument } from '../parameters.ts';
import { resolveSessionId } from './load-session.ts';

interface Options {
  format: 'md' | 'json';
  unredacted?: boolean;
}

export function addSessionsExport(sessions: Command, io: Io): void {
  sessions
    .command('export')
    .description('print a whole session as text')
    .addArgument(sessionArgument())
    .addOption(new Option('--format <format>', 'format of the text').choices(['md', 'json']).default('md'))
    .option('--unredacted', 'include keys, tokens and everything that you marked as secret')
    .action((id: string, options: Options) => withClient(io, (client) => exportSession(io, client, id, options)));
}

async function exportSession(
  { screen }: Io,
  client: Client,
  word: string,
  { format, unredacted }: Options,
): Promise<void> {
  const { text } = await client.request('conversation.export', {
    conversationId: await resolveSessionId(client, word),
    format,
    unredacted,
  });
  screen.data(dataText(screen, text.endsWith('\n') ? text : `${text}\n`));
}
