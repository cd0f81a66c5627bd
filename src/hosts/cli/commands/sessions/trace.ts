/** `triad sessions trace`: the tree of runs of a conversation, as text or JSON. */
import type { Client } from '#contract/rpc.ts';
import { traceOf } from '../../render/trace.ts';
import type { Io } from '../../terminal/io.ts';
import { loadChecked } from './load-session.ts';

export async function traceSession(
  { screen, signal }: Io,
  client: Client,
  id: string,
  options: { json?: boolean },
): Promise<void> {
  const { conversation, workflows, missing } = await loadChecked(client, id);
  const details = [];
  for (const workflow of workflows) {
    signal.throwIfAborted();
    details.push(await client.request('workflow.get', { workflowId: workflow.id }));
  }
  const trace = traceOf(conversation, details, missing);
  if (options.json) return screen.data(`${JSON.stringify(trace, null, 2)}\n`);
  const { traceText } = await import('../../render/trace-text.ts');
  for (const line of traceText(trace, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}
