/** `triad sessions show`: prints the messages, answers and sub-agents of one conversation, as text or JSON. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json, workflowArgument } from '../parameters.ts';
import { loadChecked } from './load-session.ts';

interface Options {
  json?: boolean;
}

export function addSessionsShow(sessions: Command, io: Io): void {
  sessions
    .command('show')
    .description('print the prompts, the answers and the sub-agents of a session')
    .addArgument(workflowArgument())
    .addOption(json())
    .action((id: string, options: Options) => withClient(io, (client) => showSession(io, client, id, options)));
}

async function showSession({ screen, signal }: Io, client: Client, id: string, options: Options): Promise<void> {
  const loaded = await loadChecked(client, id);
  const calls = [];
  for (const workflow of loaded.workflows) {
    signal.throwIfAborted();
    calls.push(...(await client.request('workflow.get', { workflowId: workflow.id })).calls);
  }
  const { linking } = await client.request('conversation.notes', { conversationId: loaded.conversation.id });
  const session = { ...loaded, calls, linking };
  if (options.json) {
    const { shownSession } = await import('../../render/session-json.ts');
    return screen.data(`${JSON.stringify(shownSession(session), null, 2)}\n`);
  }
  const { sessionText } = await import('../../render/session-text.ts');
  for (const line of sessionText(session, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}
