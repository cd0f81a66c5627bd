/** `triad sessions rewind`: back to before a message, its files, what the lead is told of, or both; and forth again. */
import type { ChangeRow, UndoneFile } from '#contract/change.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { inTheWay, undoneLines } from '../../render/change-text.ts';
import { hasCode, UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { loadSession } from './load-session.ts';

interface Wish {
  files: boolean;
  messages: boolean;
  /** Takes back that it went back. */
  again: boolean;
  /** Files in the way are left as they are. */
  leave: boolean;
  json?: boolean;
}

/** Throws `conflict` where a file is in the way, and then tells all that are; nothing was done then. */
export async function rewindSession(
  { screen }: Io,
  client: Client,
  named: { id: string; workflow: string },
  { files, messages, again, leave, json }: Wish,
): Promise<void> {
  const { conversation, workflows } = await loadSession(client, named.id);
  const meant = workflows.filter(({ id }) => id.startsWith(named.workflow));
  const [workflow] = meant;
  if (!workflow || meant.length > 1)
    throw new UsageError(
      `"${named.workflow}" is not the id of one workflow of this session: see "triad sessions show ${conversation.id}"`,
    );
  const conversationId = conversation.id;
  const rows = files ? await client.request('change.list', { conversationId }) : [];
  const changes = rows.filter((row) => row.workflowId >= workflow.id);
  const hasChanges = changes.length > 0;
  const input = { conversationId, workflowId: workflow.id, again, leave, messages, files: hasChanges };
  const done = messages || hasChanges ? await goBack({ screen }, client, input) : [];
  if (json) {
    const told = messages ? { left: !again } : {};
    return screen.data(
      `${JSON.stringify({ conversationId, workflowId: workflow.id, again, ...(files ? { files: done } : {}), ...told }, null, 2)}\n`,
    );
  }
  for (const line of undoneLines({ calls: changes.map(callOf) }, done, again)) screen.data(`${line}\n`);
  if (files && changes.length === 0) screen.note('No agent has changed a file since then.');
  if (messages)
    screen.data(
      `The lead is ${again ? 'told again of' : 'not told any more of'} this message and what came after it.\n`,
    );
  if (again) return;
  const options = [...(files && changes.length > 0 ? ['--files'] : []), ...(messages ? ['--messages'] : [])];
  if (options.length > 0)
    screen.note(
      `To take that back: triad sessions rewind ${conversationId} ${workflow.id} ${options.join(' ')} --again`,
    );
}

interface RewindInput extends Omit<Wish, 'json'> {
  conversationId: string;
  workflowId: string;
}

/** Files and messages go in one request: both or nothing. Returns the outcome of each file. */
async function goBack(
  { screen }: Pick<Io, 'screen'>,
  client: Client,
  { conversationId, workflowId, again, leave, messages, files }: RewindInput,
): Promise<UndoneFile[]> {
  const undo = { conversationId, target: { fromWorkflowId: workflowId }, redo: again };
  try {
    if (!messages) return await client.request('change.undo', { ...undo, leave });
    const rewind = { conversationId, workflowId, left: !again, files, leave };
    return (await client.request('conversation.rewind', rewind)).files;
  } catch (error) {
    // The session was found: its folder, or what was kept, is gone.
    if (files && hasCode(error, 'not_found')) throw new TriadError('conflict', String(error), { cause: error });
    if (!files || !hasCode(error, 'conflict') || leave) throw error;
    // The error names the first; what else is wrong has no files.
    const previewed = await client.request('change.undo', { ...undo, preview: true }).catch(() => []);
    for (const line of inTheWay(previewed, again)) screen.note(line);
    throw error;
  }
}

function callOf({ tool, at, files, notKept }: ChangeRow, index: number) {
  return { number: index + 1, tool, at, files, notKept };
}
