/** Rows as schema 2 and before stored them: one JSON text for each field in `doc`, the others in columns. */
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
