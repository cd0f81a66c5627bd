/** `triad sessions show`: what was said and done in one conversation, as text or JSON. */
import type { Client } from '#contract/rpc.ts';
import { shownSession } from '../../render/session-json.ts';
import type { Io } from '../../terminal/io.ts';
import { loadChecked } from './load-session.ts';

export async function showSession(
  { screen, signal }: Io,
  client: Client,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const loaded = await loadChecked(client, id);
  const calls = [];
  for (const workflow of loaded.workflows) {
    signal.throwIfAborted();
    calls.push(...(await client.request('workflow.get', { workflowId: workflow.id })).calls);
  }
  const { linking } = await client.request('conversation.notes', { conversationId: loaded.conversation.id });
  const session = { ...loaded, calls, linking };
  if (options.json) return screen.data(`${JSON.stringify(shownSession(session), null, 2)}\n`);
  const { sessionText } = await import('../../render/session-text.ts');
  for (const line of sessionText(session, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}
