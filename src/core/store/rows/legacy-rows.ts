/**
 * Rows as earlier schemas stored them: up to 2 one JSON text for each field in `doc`, the others in columns; up to 6
 * executions without their model, their cost and a summary, and with what the end of an earlier attempt had left.
 */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { RunRow } from '#contract/view.ts';
import { summaryOf } from '#contract/messages/short-text.ts';
import type { Row, Table } from '../store.ts';

const COLUMNS: Readonly<Partial<Record<Table, readonly string[]>>> = {
  conversation: ['lastSeq', 'usage'],
  workflow: ['conversationId', 'agents', 'status', 'outcome', 'subAgentCount', 'usage'],
  run: ['workflowId', 'status', 'outcome', 'usage'],
  tool_call: ['status'],
  approval: ['workflowId', 'decisions', 'open'],
};

export function decodeLegacyRow(table: Table, stored: Row): Row {
  const row: Row = {};
  for (const [field, json] of Object.entries((stored.doc ?? {}) as Record<string, string>))
    row[field] = JSON.parse(json);
  for (const field of COLUMNS[table] ?? []) row[field] = stored[field] ?? null;
  if (table === 'approval') row.decisions = (row.decisions as string[]).map((part) => JSON.parse(part) as unknown);
  return row;
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
