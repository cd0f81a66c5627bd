/** `triad sessions project`: the Markdown files of sessions, made again from the history. */
import type { Client, Output } from '#contract/rpc.ts';
import { missingText } from '#contract/missing-text.ts';
import type { Io } from '../../terminal/io.ts';
import { isListWhole, sessionId } from './load-session.ts';
import { visible } from '../../terminal/visible.ts';

const PAGE = 50;
const KEPT = ' Its files stay as they are, because they may have more.';

/** Prints the folder of each; without an id, of all that are not in the trash. */
export async function projectSessions(
  { screen, signal }: Io,
  client: Client,
  word: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const ids = word === undefined ? everyId(client, signal) : [await sessionId(client, word, ['conversation.list'])];
  const made: ({ id: string } & Output<'conversation.project'>)[] = [];
  for await (const id of ids) {
    signal.throwIfAborted();
    const projected = await client.request('conversation.project', { conversationId: id });
    const notice = missingText(projected.missing);
    if (notice !== null) screen.note(`${visible(projected.folder)}: ${notice}${projected.files === 0 ? KEPT : ''}`);
    // Nothing was said in it yet.
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
