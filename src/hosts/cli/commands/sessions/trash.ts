/** `triad sessions export`, `clean`, `delete` and `restore`: conversations out of the program, into its trash and back. */
import type { Client } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { sessionId } from './load-session.ts';
import { dataText } from '../../terminal/screen.ts';

export async function exportSession(
  { screen }: Io,
  client: Client,
  word: string,
  { format, unredacted }: { format: 'md' | 'json'; unredacted?: boolean },
): Promise<void> {
  const { text } = await client.request('conversation.export', {
    conversationId: await sessionId(client, word),
    format,
    unredacted,
  });
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  screen.data(dataText(screen, whole));
}

/** Nothing is lost by it: the trash gives back what it holds until it is purged. */
export async function cleanSessions(
  { screen }: Io,
  client: Client,
  { olderThan, json }: { olderThan: number; json?: boolean },
): Promise<void> {
  const { count } = await client.request('trash.fill', { olderThanDays: olderThan });
  if (json) return screen.data(`${JSON.stringify({ count })}\n`);
  const what = count === 1 ? '1 session was' : `${count} sessions were`;
  const back = count > 0 ? ' To get one back: triad sessions restore ID' : '';
  screen.note(`${what} moved to the trash (not changed for ${olderThan} days).${back}`);
}

export async function deleteSession({ screen }: Io, client: Client, word: string): Promise<void> {
  const id = await sessionId(client, word, ['conversation.list']);
  await client.request('conversation.delete', { conversationId: id });
  screen.note(`Moved to the trash. To get it back: triad sessions restore ${id}`);
}

export async function restoreSession({ screen }: Io, client: Client, word: string): Promise<void> {
  const id = await sessionId(client, word, ['trash.list']);
  await client.request('conversation.restore', { conversationId: id });
  screen.note('Restored from the trash.');
}
