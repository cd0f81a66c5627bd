/** `triad sessions restore`: restores one session from the trash. */
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { sessionArgument } from '../parameters.ts';
import { resolveSessionId } from './load-session.ts';

export function addSessionsRestore(sessions: Command, io: Io): void {
  sessions
    .command('restore')
    .description('restore a session from the trash')
    .addArgument(sessionArgument())
    .action((word: string) =>
      withClient(io, async (client) => {
        const id = await resolveSessionId(client, word, ['trash.list']);
        await client.request('conversation.restore', { conversationId: id });
        io.screen.note('Restored from the trash.');
      }),
    );
}
