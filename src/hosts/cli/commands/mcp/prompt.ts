/** `triad mcp prompt`: the text of a server's prompt. */
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { visible } from '../../terminal/visible.ts';

export async function showPrompt(
  { screen }: Io,
  client: Client,
  { name, prompt, words }: { name: string; prompt: string; words: readonly string[] },
  { folder }: { folder: string },
): Promise<void> {
  const args = Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1) throw new UsageError(`"${visible(word)}" is not KEY=VALUE`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
  const { text } = await client.request('mcp.prompt', { folder, name, prompt, args });
  screen.data(`${dataText(screen, text)}\n`);
}
