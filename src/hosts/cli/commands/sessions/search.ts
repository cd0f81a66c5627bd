/** `triad sessions search`: the places in the history where all words occur, newest first. */
import type { Client } from '#contract/rpc.ts';
import type { SearchHit } from '#contract/view.ts';
import { localTime, oneLine } from '../../render/format.ts';
import type { Io } from '../../terminal/io.ts';
import type { Style } from '../../terminal/style.ts';
import { cut } from '../../terminal/table.ts';
import { visible } from '../../terminal/visible.ts';

const PAGE = 50;

export async function searchSessions(
  { screen }: Io,
  client: Client,
  text: string,
  options: { json?: boolean; limit?: number },
): Promise<void> {
  const { items, next } = await client.request('history.search', { text, limit: options.limit ?? PAGE });
  if (options.json) return screen.data(`${JSON.stringify(items, null, 2)}\n`);
  if (items.length === 0) return screen.note('Nothing was found.');
  for (const line of items.flatMap((hit) => hitLines(hit, screen.width, screen.dataStyle))) screen.data(`${line}\n`);
  if (next !== null) screen.note(`Only the newest ${items.length}: more with --limit.`);
}

/** Where it is, and the words around it. */
export function hitLines(hit: SearchHit, width: number, style: Style): string[] {
  const { conversationId, title, at, kind, agent } = hit;
  const head = [localTime(at), kind, visible(agent), visible(oneLine(title)) || '(no title)'].join(' · ');
  return [style('bold', cut(`${conversationId}  ${head}`, width)), cut(`  ${visible(oneLine(hit.snippet))}`, width)];
}
