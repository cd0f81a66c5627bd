/** `triad sessions try-now`: sends the requests of a session that wait for their provider again at once. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { sessionArgument } from '../parameters.ts';
import { loadSession } from './load-session.ts';

export function addSessionsTryNow(sessions: Command, io: Io): void {
  sessions
    .command('try-now')
    .description('send the model requests of a session that wait for their provider again, at once')
    .addArgument(sessionArgument())
    .action((id: string) => withClient(io, (client) => tryNow(io, client, id)));
}

async function tryNow({ screen }: Io, client: Client, id: string): Promise<void> {
  const { workflows } = await loadSession(client, id);
  const running = workflows.filter(({ outcome }) => outcome === null);
  const replies = await Promise.all(
    running.map(({ id: workflowId }) => client.request('workflow.try-now', { workflowId })),
  );
  const count = replies.reduce((sum, { requests }) => sum + requests, 0);
  if (count === 0) screen.note('No request of this session waits for its provider.');
  else screen.note(`Sent again: ${count} ${count === 1 ? 'request' : 'requests'}.`);
}
