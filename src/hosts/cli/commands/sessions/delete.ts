/** `triad sessions delete`: moves one session to the trash. */
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { sessionArgument } from '../parameters.ts';
import { resolveSessionId } from './load-session.ts';

export function addSessionsDelete(sessions: Command, io: Io): void {
  sessions
    .command('delete')
    .description('move a session to the trash')
    .addArgument(sessionArgument())
    .action((word: string) =>
      withClient(io, async (client) => {
        const id = await resolveSessionId(client, word, ['conversation.list']);
        await client.request('conversation.delete', { conversationId: id });
        io.screen.note(`Moved to the trash. To get it back: triad sessions restore ${id}`);
      }),
    );
}
