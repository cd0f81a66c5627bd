/** `triad sessions fork`: a new session whose history ends at a message of another one. */
import type { Client, Input } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { loadSession } from './load-session.ts';

interface Wish {
  /** The id of a workflow, or the first characters; the newest where it is left out. */
  at?: string;
  before: boolean;
  json?: boolean;
}

export async function forkSession(
  { screen }: Io,
  client: Client,
  word: string,
  { at, before, json }: Wish,
): Promise<void> {
  const { conversation, workflows } = await loadSession(client, word);
  const meant = at === undefined ? workflows.slice(-1) : workflows.filter(({ id }) => id.startsWith(at));
  const [workflow] = meant;
  if (!workflow && at === undefined) throw new UsageError('Nothing was said in this session yet');
  if (!workflow || meant.length > 1)
    throw new UsageError(
      `"${at}" is not the id of one workflow of this session: see "triad sessions show ${conversation.id}"`,
    );
  const asked: Input<'conversation.fork'> = {
    conversationId: conversation.id,
    workflowId: workflow.id,
    end: before ? 'before' : 'after',
  };
  const { id, title, folder, agent, createdAt, from } = await client.request('conversation.fork', asked);
  if (json) return screen.data(`${JSON.stringify({ id, title, folder, agent, createdAt, from }, null, 2)}\n`);
  screen.data(`${id}\n`);
  screen.note(`Files stay as they are. To go on: triad run --conversation ${id} "…"`);
}
