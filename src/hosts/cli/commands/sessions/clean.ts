/** `triad sessions clean`: moves old sessions to the trash, from which they can be restored until it is purged. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json } from '../parameters.ts';

interface Options {
  /** Minimum age in days. */
  olderThan: number;
  json?: boolean;
}

export function addSessionsClean(sessions: Command, io: Io): void {
  sessions
    .command('clean')
    .description('move old sessions to the trash')
    .addOption(
      new Option('--older-than <time>', 'minimum time since the last change, such as 30d or 4w (required)')
        .argParser(parseDays)
        .makeOptionMandatory(),
    )
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => cleanSessions(io, client, options)));
}

/** Parses a number of days or weeks into days. */
function parseDays(text: string): number {
  const [, number, unit] = /^(\d{1,4})([dw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('This is a number of days or weeks, such as 30d or 4w.');
  return Number(number) * (unit === 'w' ? 7 : 1);
}

async function cleanSessions({ screen }: Io, client: Client, { olderThan, json }: Options): Promise<void> {
  const { count } = await client.request('trash.fill', { olderThanDays: olderThan });
  if (json) return screen.data(`${JSON.stringify({ count })}\n`);
  const what = count === 1 ? '1 session was' : `${count} sessions were`;
  const back = count > 0 ? ' To get one back: triad sessions restore ID' : '';
  screen.note(`${what} moved to the trash (not changed for ${olderThan} days).${back}`);
}
