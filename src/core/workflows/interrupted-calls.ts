/** The calls of an interrupted workflow, for a new message in its conversation: the same texts as when it is resumed. */
import type { WorkflowRow } from '#contract/view.ts';
import type { Entry } from '#contract/message.ts';
import { redact } from '../base/redact.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { type OpenCalls, nextStep } from '#core/store/log/transcript.ts';
import type { Engine } from '../runs/engine.ts';
import { findChangeSet } from '../runs/workspace-of.ts';
import { formatUnknownOutcome } from '../tools/changed-files.ts';

/** Maximum length of the arguments of one call, in code units. */
const MAX_INPUT_CHARS = 500;

const formatInput = (input: unknown): string => cutAtCodePoint(redact(JSON.stringify(input)), MAX_INPUT_CHARS);

/**
 * Returns the texts for calls that had started and have no result. Calls of the lead get theirs as a result. Calls of
 * sub-agents are listed in a note, because the lead has no call for them. `entries`: of the lead.
 */
export async function loadOpenCalls(
  engine: Engine,
  workflow: WorkflowRow,
  entries: readonly Entry[],
): Promise<OpenCalls | undefined> {
  if (workflow.outcome !== 'interrupted') return undefined;
  const { store, tools } = engine;
  const runs = await store.runsOf([workflow.id]);
  const records = await store.recordsOf(runs, ['entries', 'calls']);
  const startedCalls = new Set(
    records.calls.flatMap(({ runId, toolCallId, status }) => (status === 'running' ? [`${runId} ${toolCallId}`] : [])),
  );
  const results = new Map<string, string>();
  const lines: string[] = [];
  for (const run of runs) {
    const isLead = run.id === workflow.runId;
    const step = nextStep(isLead ? entries : (records.entries.get(run.id) ?? []));
    for (const call of step.do === 'settle' ? step.calls : []) {
      const hasEffects = (tools.get(call.name)?.recovery ?? 'unknown') === 'unknown';
      if (!hasEffects || !startedCalls.has(`${run.id} ${call.id}`)) continue;
      const text = formatUnknownOutcome(
        await findChangeSet(engine, { ...run, runId: run.id }, call.id, new AbortController().signal),
      );
      if (isLead) results.set(call.id, text);
      else lines.push(`- ${run.name}: ${call.name} ${formatInput(call.input)}\n  ${text}`);
    }
  }
  const note = `[Triad: the work of sub-agents was interrupted during these calls:]\n${lines.join('\n')}`;
  return { results, note: lines.length > 0 ? note : null };
}
