/** What several commands share: options, and a runtime for those that only read or change a little. */
import { InvalidArgumentError, Option } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Link, openLink } from '../follow/link.ts';

/** Gets the exit code of the command that ran. */
export type Done = (code: number) => void;

export const approve = () =>
  new Option('--approve <who>', 'who answers questions (default: ask with a terminal, else none)').choices([
    'ask',
    'all',
    'none',
  ]);
export const json = () => new Option('--json', 'print JSON');
export const limit = () => new Option('--limit <number>', 'at most so many').argParser(positiveNumber);

/** What commander says is wrong with a command line, as one line. */
export function faultLine(text: string): string {
  const plain = text.replace(/^error: /, '').trim();
  return `triad: ${plain.replace(/\s*\n\s*/g, ' ')}`;
}

/** For commands that print once they have everything, so that asking again repeats nothing. */
export function withClient(io: Io, work: (client: Client) => Promise<void>): Promise<number> {
  return withLink(io, async (link) => {
    await link.ask(work);
    return EXIT.ok;
  });
}

/** For those whose exit code depends on what they find. */
export async function withLink(io: Io, work: (link: Link) => Promise<number>): Promise<number> {
  const link = await openLink(io, false);
  try {
    return await work(link);
  } finally {
    await link.close();
  }
}

function positiveNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('This is a whole number above 0.');
  return Number(text);
}
