/** `triad sessions try-now`: sends the requests of a session that wait for their provider again at once. */
import type { Client } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { loadSession } from './load-session.ts';

export async function tryNow({ screen }: Io, client: Client, id: string): Promise<void> {
  const { workflows } = await loadSession(client, id);
  const running = workflows.filter(({ outcome }) => outcome === null);
  const replies = await Promise.all(
    running.map(({ id: workflowId }) => client.request('workflow.try-now', { workflowId })),
  );
  const count = replies.reduce((sum, { requests }) => sum + requests, 0);
  if (count === 0) screen.note('No request of this session waits for its provider.');
  else screen.note(`Sent again: ${count} ${count === 1 ? 'request' : 'requests'}.`);
}
