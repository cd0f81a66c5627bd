/** Shows a session's folder in the file manager: the one that the core names for a conversation, no other can be asked for. */
import { shell } from 'electron';
import { TriadError } from '#core/base/errors.ts';
import type { Client } from '#contract/rpc.ts';
import { answering } from './answering.ts';
import { isFolder } from './folder-dialog.ts';

/** The same runtime for the pages of this desktop, which can show folders. */
export function showingFolders(client: Client): Client {
  return answering(client, 'conversation.folder', async (input) => {
    // The runtime parses the input.
    const { folder } = await client.request('conversation.folder', input);
    if (input.open) await show(folder);
    return { folder, opens: true };
  });
}

/** A link in its place is not followed, and a file is not opened: another program could start from it. */
async function show(folder: string | null): Promise<void> {
  if (folder === null || !(await isFolder(folder)))
    throw new TriadError('not_found', 'The folder of this session is not written yet: try again in a moment');
  const problem = await shell.openPath(folder);
  if (problem !== '') throw new TriadError('internal', `The folder ${folder} could not be opened: ${problem}`);
}
