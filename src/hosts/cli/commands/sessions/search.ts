/** `triad sessions search`: the places in the history where all words occur, newest first. */
import type { Client } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { isListWhole } from './load-session.ts';

const PAGE = 50;

export async function searchSessions(
  { screen }: Io,
  client: Client,
  text: string,
  options: { json?: boolean; limit?: number },
): Promise<void> {
  const {
    items,
    next,
    titles = [],
    agents = [],
  } = await client.request('history.search', { text, limit: options.limit ?? PAGE });
  const isWhole = next !== null || (await isListWhole(screen, client));
  if (options.json) return screen.data(`${JSON.stringify(items, null, 2)}\n`);
  if (items.length + titles.length + agents.length === 0 && isWhole) return screen.note('Nothing was found.');
  const { hitLines, nameLines } = await import('../../render/hit-lines.ts');
  const named = nameLines({ titles, agents }, screen.width, screen.dataStyle);
  for (const line of [...named, ...items.flatMap((hit) => hitLines(hit, screen.width, screen.dataStyle))])
    screen.data(`${line}\n`);
  if (next !== null) screen.note(`Only the newest ${items.length}: more with --limit.`);
}
