/** Renders the items of one workflow in a session's metadata as JSON texts, which each new file only joins. */
import { isReported } from '#contract/flows/serving.ts';
import type { WorkflowRows } from '#core/store/check.ts';
import type { WorkflowResult } from './result-part.ts';
import { traceEntries } from './trace-entries.ts';

/** JSON texts, indented as items of a list in a field of the file. */
export interface MetadataItems {
  workflow: string;
  subAgents: string[];
  trace: string[];
}

/** `result`: the choice of the result; null for none. */
export function metadataItems(
  { workflow, runs, approvals }: Pick<WorkflowRows, 'workflow' | 'runs' | 'approvals'>,
  result: WorkflowResult | null,
): MetadataItems {
  const { id, status, outcome, createdAt, endedAt } = workflow;
  const trace = traceEntries(runs, approvals);
  return {
    workflow: itemText({
      workflow_id: id,
      status,
      outcome,
      started_at: createdAt,
      completed_at: endedAt,
      ...(result ? { result } : {}),
    }),
    subAgents: trace
      .filter(isReported)
      .map(({ run_id, agent_name, kind, file, status: own, outcome: end }) =>
        itemText({ run_id, agent_name, kind, file, status: own, outcome: end }),
      ),
    trace: trace.map(itemText),
  };
}

function itemText(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n    ');
}

/** Returns the JSON text of an object with two-space indentation, without its braces. */
export function fieldTexts(fields: object): string {
  return JSON.stringify(fields, null, 2).slice(2, -2);
}

/** Returns the JSON text of a field with such items. */
export function listText(name: string, items: readonly string[]): string {
  return items.length === 0 ? `  "${name}": []` : `  "${name}": [\n    ${items.join(',\n    ')}\n  ]`;
}
