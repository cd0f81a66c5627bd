/** `triad mcp prompt`: prints a prompt of a server. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { visible } from '../../terminal/visible.ts';
import { dir, serverArgument } from '../parameters.ts';

interface Options {
  dir?: string;
}

export function addMcpPrompt(mcp: Command, io: Io): void {
  mcp
    .command('prompt')
    .description('print a prompt that a server offers, with its arguments filled in')
    .addArgument(serverArgument())
    .argument('<prompt>', 'name of the prompt, as "triad mcp test" shows it')
    .argument('[arguments...]', 'KEY=VALUE for each argument')
    .addOption(dir())
    .action((name: string, prompt: string, words: string[], options: Options) =>
      withClient(io, (client) => showPrompt(io, client, { name, prompt, words }, options)),
    );
}

async function showPrompt(
  { screen, folder }: Io,
  client: Client,
  { name, prompt, words }: { name: string; prompt: string; words: readonly string[] },
  { dir = '.' }: Options,
): Promise<void> {
  const args = Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`"${visible(word)}" is not KEY=VALUE`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
  const { text } = await client.request('mcp.prompt', { folder: resolve(folder, dir), name, prompt, args });
  screen.data(`${dataText(screen, text)}\n`);
}
