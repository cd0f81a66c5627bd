/** `triad sessions trace`: the tree of runs of a conversation, as text or JSON. */
import type { CompactionEntry } from '#contract/message.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowDetail } from '#contract/view.ts';
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
  const details: WorkflowDetail[] = [];
  const compactions = new Map<string, CompactionEntry[]>();
  for (const workflow of workflows) {
    signal.throwIfAborted();
    const detail = await client.request('workflow.get', { workflowId: workflow.id });
    details.push(detail);
    for (const runId of compacted(detail)) {
      const entries = await client.request('run.entries', { runId });
      compactions.set(
        runId,
        entries.filter((entry) => entry.kind === 'compaction'),
      );
    }
  }
  const trace = traceOf(conversation, details, { missing, compactions });
  if (options.json) return screen.data(`${JSON.stringify(trace, null, 2)}\n`);
  const { traceText } = await import('../../render/trace-text.ts');
  for (const line of traceText(trace, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}

/** Runs of which a summary was asked for. */
function compacted({ requests }: WorkflowDetail): Set<string> {
  return new Set(requests.flatMap(({ purpose, runId }) => (purpose === 'compaction' ? [runId] : [])));
}
