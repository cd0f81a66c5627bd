/**
 * Rows as earlier schemas stored them: up to 2 one JSON text for each field in `doc`, the others in columns; up to 6
 * executions without their model, their cost and a summary, and with what the end of an earlier attempt had left.
 */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { RunRow } from '#contract/view.ts';
import { summaryOf } from '#contract/messages/short-text.ts';
import type { Row, Table } from '../store.ts';

type Column = 'optional' | 'plain' | 'int' | 'tally' | 'parts';

const COLUMNS: Readonly<Partial<Record<Table, Readonly<Record<string, Column>>>>> = {
  conversation: { lastSeq: 'int', usage: 'tally' },
  workflow: {
    conversationId: 'plain',
    agents: 'plain',
    status: 'plain',
    outcome: 'optional',
    subAgentCount: 'int',
    usage: 'tally',
  },
  run: { workflowId: 'plain', status: 'plain', outcome: 'optional', usage: 'tally' },
  tool_call: { status: 'plain' },
  approval: { workflowId: 'plain', decisions: 'parts', open: 'int' },
  model_request: { workflowId: 'plain' },
};

export function decodeLegacyRow(table: Table, stored: Row): Row {
  const row: Row = {};
  for (const [field, json] of Object.entries((stored.doc ?? {}) as Record<string, string>))
    row[field] = JSON.parse(json);
  for (const [field, column] of Object.entries(COLUMNS[table] ?? {})) row[field] = decodeField(column, stored[field]);
  return row;
}

function decodeField(column: Column, value: unknown): unknown {
  if (value === undefined) return null;
  if (column === 'int') return Number(value);
  if (column === 'tally')
    return Object.fromEntries(Object.entries(value as object).map(([name, n]) => [name, Number(n)]));
  if (column === 'parts') return (value as string[]).map((part) => JSON.parse(part) as unknown);
  return value;
}

/** What the end of a run says. */
const NO_END = {
  ...{ outcome: undefined, result_summary: undefined, error_message: undefined, completed_at: undefined },
  ...{ duration_ms: undefined, tokens_input: undefined, tokens_output: undefined },
};

/** An execution of schema 6 as it is stored today; its run has what is missing, and what its newest end says. */
export function renewedExecution(stored: SubAgentExecution, run: RunRow): SubAgentExecution {
  const { status, outcome, text, error, usage, envelope } = run;
  const { completed_at, duration_ms, tokens_input, tokens_output } = stored;
  const asked = { ...stored, ...NO_END, status, model: envelope.model };
  if (outcome === null) return asked;
  return {
    ...asked,
    ...{ outcome, completed_at, duration_ms, tokens_input, tokens_output },
    ...(usage.unpriced === 0 && { nano_usd: usage.nanoUsd }),
    ...(text !== '' && { result_summary: summaryOf(text) }),
    ...(error && { error_message: error.message }),
  };
}
