/** Executions of sub-agents as a table. Pure. */
import type { ListedExecution } from '#contract/execution.ts';
import { table } from '../terminal/table.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { cost, duration, localTime } from './format.ts';

const NONE = '–';

export function executionTable(executions: readonly ListedExecution[], width: number): string[] {
  const columns = [
    { title: 'WORKFLOW' },
    { title: 'AGENT' },
    { title: 'OUTCOME' },
    { title: 'ASKED FOR', rank: 2 },
    { title: 'WORK', rank: 3, align: 'right' as const },
    { title: 'TOKENS', rank: 4, align: 'right' as const },
    { title: 'COST', rank: 1, align: 'right' as const },
    { title: 'MODEL', rank: 5 },
    { title: 'TASK', min: 12 },
  ];
  return table(columns, executions.map(cellsOf), width);
}

function cellsOf(execution: ListedExecution): string[] {
  const { workflow_id, sub_agent_name, outcome, status, created_at, model, task_description } = execution;
  const { worked_ms, tokens_input, tokens_output, tokens_estimated = 0, nano_usd } = execution;
  const place = placeOf(execution);
  const tokens = tokens_input === undefined ? null : tokens_input + (tokens_output ?? 0);
  return [
    workflow_id,
    visible(sub_agent_name),
    outcome ?? status,
    localTime(created_at),
    duration(worked_ms ?? null),
    tokens === null ? NONE : `${tokens_estimated > 0 ? '≈ ' : ''}${tokens.toLocaleString('en-US')}`,
    nano_usd === undefined ? NONE : cost(nano_usd / 1e9),
    visible(model ?? NONE),
    oneLine(visible(place === '' ? task_description : place)),
  ];
}

/** What it serves and where; what it was told is the work of others. Empty for a sub-agent. */
function placeOf({ kind, serves, place, places }: ListedExecution): string {
  if (serves === undefined || place === undefined) return '';
  const which = places === undefined ? String(place) : `${place} of ${places}`;
  return kind === 'chain' ? `stage ${which}, after ${serves}` : `round ${which}, for ${serves}`;
}
