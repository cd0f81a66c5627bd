/** `triad sessions trace`: prints the tree of runs of a conversation, as text or JSON. */
import type { Command } from 'commander';
import type { CompactionEntry } from '#contract/message.ts';
import type { Client } from '#contract/rpc.ts';
import type { WorkflowDetail } from '#contract/view.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json, workflowArgument } from '../parameters.ts';
import { loadChecked } from './load-session.ts';

interface Options {
  json?: boolean;
}

export function addSessionsTrace(sessions: Command, io: Io): void {
  sessions
    .command('trace')
    .description('print the tree of runs with their times, tokens, outcomes and approvals')
    .addArgument(workflowArgument())
    .addOption(json())
    .action((id: string, options: Options) => withClient(io, (client) => traceSession(io, client, id, options)));
}

async function traceSession({ screen, signal }: Io, client: Client, id: string, options: Options): Promise<void> {
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
  const { traceOf } = await import('../../render/trace.ts');
  const trace = traceOf(conversation, details, { missing, compactions });
  if (options.json) return screen.data(`${JSON.stringify(trace, null, 2)}\n`);
  const { traceText } = await import('../../render/trace-text.ts');
  for (const line of traceText(trace, screen.width, screen.dataStyle)) screen.data(`${line}\n`);
}

/** Returns the ids of runs with a request for a summary. */
function compacted({ requests }: WorkflowDetail): Set<string> {
  return new Set(requests.flatMap(({ purpose, runId }) => (purpose === 'compaction' ? [runId] : [])));
}
