/** The rows that `project` makes of events, by table, and a change of one of them. */
import type { Approval } from './approval.ts';
import type { RequestUsage } from './event.ts';
import type { SubAgentExecution } from './execution.ts';
import type { Entry } from './message.ts';
import type { Grant } from './permission.ts';
import type { ConversationRow, MemoryNote, OpenMessage, RunRow, ToolCallRow, WorkflowRow } from './view.ts';

/** The row of each table; plain JSON. */
export interface TableRows {
  conversation: ConversationRow;
  workflow: WorkflowRow;
  run: RunRow;
  sub_agent_execution: Omit<SubAgentExecution, 'id'>;
  /** Key: run id and number of the entry. */
  message: { entry: Entry };
  /** Key: run id and call id. */
  tool_call: ToolCallRow;
  /** `open`: number of items without a decision. */
  approval: Approval & { workflowId: string; open: number };
  /** Key: workflow id and request id. */
  model_request: RequestUsage & { runId: string; workflowId: string; conversationId: string };
  open_message: OpenMessage;
  /** Key: see `memoryKey`. */
  memory: MemoryNote;
  permission_grant: Grant;
}
export type Table = keyof TableRows;

/** The id of a row: a string, or the id of its owner and its name or number. */
export type RowKey = string | readonly [string, number | string];

/** The id of a row in its table. */
export interface RowPlace<T extends Table = Table> {
  table: T;
  key: RowKey;
}

/** A whole row after a change; null if it was deleted. */
export type RowChange = { [T in Table]: RowPlace<T> & { row: TableRows[T] | null } }[Table];

/** Returns rows that are in memory; null for a row that does not exist. */
export interface RowReader {
  get<T extends Table>(table: T, key: RowKey): TableRows[T] | null;
}
