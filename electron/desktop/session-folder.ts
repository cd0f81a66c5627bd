/** Shows a session's folder in the file manager: the one that the core names for a conversation, no other can be asked for. */
import { lstat } from 'node:fs/promises';
import { shell } from 'electron';
import { TriadError } from '#core/base/errors.ts';
import type { Client, Input, Output } from '#contract/rpc.ts';

/** The same runtime for the pages of this desktop, which can show folders. */
export function showingFolders(client: Client): Client {
  const folderOf = async (input: Input<'conversation.folder'>): Promise<Output<'conversation.folder'>> => {
    const { folder } = await client.request('conversation.folder', input);
    if (input.open) await show(folder);
    return { folder, opens: true };
  };
  return {
    subscribe: (topic, input, listener) => client.subscribe(topic, input, listener),
    request: async (method, input) => {
      if (method !== 'conversation.folder') return client.request(method, input);
      // The method determines both types, which the compiler cannot follow.
      return (await folderOf(input as Input<'conversation.folder'>)) as Output<typeof method>;
    },
  };
}

/** A link in its place is not followed, and a file is not opened: another program could start from it. */
async function show(folder: string | null): Promise<void> {
  const isThere =
    folder !== null &&
    (await lstat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (!isThere)
    throw new TriadError('not_found', 'The folder of this session is not written yet: try again in a moment');
  const problem = await shell.openPath(folder);
  if (problem !== '') throw new TriadError('internal', `The folder ${folder} could not be opened: ${problem}`);
}
