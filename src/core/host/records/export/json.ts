/** The JSON export, as docs/export.md describes it; fields are added but never changed. */
import type { Missing } from '#contract/missing.ts';
import type { ConversationRow } from '#contract/view.ts';
import { timesOfRun, timesOfWorkflow } from '#contract/history/work-times.ts';
import type { ExportedWorkflow } from './record.ts';

const EXPORT_FORMAT = 'triad-conversation';
const EXPORT_VERSION = 1;

/** Yields the text in parts, so that only one workflow is in memory at a time. */
export async function* jsonOf(
  conversation: ConversationRow,
  workflows: AsyncIterable<ExportedWorkflow>,
  { program, missing }: { program: string; missing: readonly Missing[] },
): AsyncGenerator<string> {
  const { lastSeq: _, ...row } = conversation;
  const head = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    program,
    exportedAt: new Date().toISOString(),
    conversation: row,
    ...(missing.length > 0 ? { missing } : {}),
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "workflows": [`;
  let separator = '';
  for await (const workflow of workflows) {
    yield separator + JSON.stringify(workflowOf(workflow), null, 2);
    separator = ', ';
  }
  yield ']\n}\n';
}

function workflowOf(record: ExportedWorkflow) {
  const { workflow, runs, calls, approvals, requests, entries, executions } = record;
  const { firstSeq: _, lastSeq: __, conversationId: ___, ...row } = workflow;
  return {
    ...row,
    times: timesOfWorkflow(workflow, approvals),
    runs: runs.map(({ conversationId: _, workflowId: __, ...run }) => ({
      ...run,
      times: timesOfRun(run, record),
      entries: entries.get(run.id) ?? [],
      calls: calls.filter(({ runId }) => runId === run.id).map(({ runId: _, ...call }) => call),
      requests: requests.filter(({ runId }) => runId === run.id).map(({ runId: _, ...request }) => request),
    })),
    executions,
    approvals,
  };
}
