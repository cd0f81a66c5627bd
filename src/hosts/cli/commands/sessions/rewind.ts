/** `triad sessions rewind`: makes a session that ends before a message, and undoes later file changes; or only undoes them. */
import type { Command } from 'commander';
import type { ChangeRow, UndoneFile } from '#contract/change.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { withClient } from '../../follow/link.ts';
import { hasCode, UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { json, sessionArgument } from '../parameters.ts';
import { loadSession } from './load-session.ts';

interface Options {
  /** True: only undoes file changes, and makes no session. */
  files?: boolean;
  /** True: skips files in conflict. */
  leave?: boolean;
  /** True: redoes the file changes. */
  again?: boolean;
  json?: boolean;
}

export function addSessionsRewind(sessions: Command, io: Io): void {
  sessions
    .command('rewind')
    .description('go back to before a message: make a session that ends there, and revert what agents changed since')
    .addArgument(sessionArgument())
    .argument('<workflow>', 'message to go back to before: the id of its workflow, or the first characters')
    .option('--files', 'only revert files, and make no session')
    .option('--leave', 'skip files that are in the way, and revert the others')
    .option('--again', 'with --files: undo that')
    .addOption(json())
    .action(async (id: string, workflow: string, options: Options) => {
      if (options.again && !options.files) throw new UsageError('--again belongs to --files: the new session stays');
      await withClient(io, (client) => rewindSession(io, client, { id, workflow }, options));
    });
}

/** Rewinds a session. Throws `conflict` if files are in conflict, prints them, and changes nothing. */
async function rewindSession(
  { screen }: Io,
  client: Client,
  named: { id: string; workflow: string },
  { files: onlyFiles = false, again = false, leave = false, json }: Options,
): Promise<void> {
  const { conversation, workflows } = await loadSession(client, named.id);
  const meant = workflows.filter(({ id }) => id.startsWith(named.workflow));
  const [workflow] = meant;
  if (!workflow || meant.length > 1)
    throw new UsageError(
      `"${named.workflow}" is not the id of one workflow of this session: see "triad sessions show ${conversation.id}"`,
    );
  const place = { conversationId: conversation.id, workflowId: workflow.id };
  const rows = await client.request('change.list', { conversationId: conversation.id });
  const changes = rows.filter((row) => row.workflowId >= workflow.id);
  const isNothing = onlyFiles && changes.length === 0;
  const done = isNothing ? { files: [] } : await goBack({ screen }, client, { ...place, onlyFiles, again, leave });
  if (json) return screen.data(`${JSON.stringify({ ...place, again, ...done }, null, 2)}\n`);
  const { undoneLines } = await import('../../render/change-text.ts');
  for (const line of undoneLines({ calls: changes.map(callOf) }, done.files, again)) screen.data(`${line}\n`);
  if (changes.length === 0) screen.note('No agent has changed a file since then.');
  if (done.fork !== undefined) {
    screen.data(`${done.fork}\n`);
    screen.note(`That session ends before the message. To go on: triad run --conversation ${done.fork} "…"`);
  }
  if (again || !done.files.some(({ outcome }) => outcome === 'put_back' || outcome === 'merged')) return;
  screen.note(
    `To take the undo back: triad sessions rewind ${place.conversationId} ${place.workflowId} --files --again`,
  );
}

interface RewindInput {
  conversationId: string;
  workflowId: string;
  onlyFiles: boolean;
  again: boolean;
  leave: boolean;
}

/** Forks and undoes the files, or does neither. Returns the id of the new session, and the outcome of each file. */
async function goBack(
  { screen }: Pick<Io, 'screen'>,
  client: Client,
  { conversationId, workflowId, onlyFiles, again, leave }: RewindInput,
): Promise<{ fork?: string; files: UndoneFile[] }> {
  const undo = { conversationId, target: { fromWorkflowId: workflowId }, redo: again };
  try {
    if (onlyFiles) return { files: await client.request('change.undo', { ...undo, leave }) };
    const { conversation, files } = await client.request('conversation.rewind', { conversationId, workflowId, leave });
    return { fork: conversation.id, files };
  } catch (error) {
    // The session exists, so its folder or its stored contents are deleted.
    if (hasCode(error, 'not_found')) throw new TriadError('conflict', String(error), { cause: error });
    if (!hasCode(error, 'conflict') || leave) throw error;
    // The error names only the first file. Another kind of conflict has no files.
    const previewed = await client.request('change.undo', { ...undo, preview: true }).catch(() => []);
    const { inTheWay } = await import('../../render/change-text.ts');
    for (const line of inTheWay(previewed, again)) screen.note(line);
    if (!onlyFiles) screen.note('No session was made. With --leave it is made all the same.');
    throw error;
  }
}

function callOf({ tool, at, files, notKept }: ChangeRow, index: number) {
  return { number: index + 1, tool, at, files, notKept };
}
