/** `triad sessions search`: lists the entries of the history that contain all words, newest first. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json, limit } from '../parameters.ts';
import { isListWhole } from './load-session.ts';

interface Options {
  limit?: number;
  json?: boolean;
}

export function addSessionsSearch(sessions: Command, io: Io): void {
  sessions
    .command('search')
    .description('find prompts, answers, reports and results of tools that contain all of these words')
    .argument('<text>', 'words to find')
    .addOption(limit())
    .addOption(json())
    .action((text: string, options: Options) => withClient(io, (client) => searchSessions(io, client, text, options)));
}

const PAGE = 50;

async function searchSessions({ screen }: Io, client: Client, text: string, options: Options): Promise<void> {
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
