/** The port to durable storage: atomic commits of events with their read models, and the bounded queries of the screens. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import type { ConversationRow, OpenMessage, RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';

export type Table =
  | 'conversation'
  | 'workflow'
  | 'run'
  | 'sub_agent_execution'
  | 'message'
  | 'tool_call'
  | 'approval'
  | 'model_request'
  | 'open_message'
  | 'message_part'
  | 'memory';

/** A record's id: a string, or the composite `[owner, n]` of messages and tool calls. */
export type Key = string | readonly [string, number | string];

/** One change of one row. Rows are plain JSON; undefined fields are left out. */
export type Write =
  | { kind: 'put'; table: Table; key: Key; row: Record<string, unknown> }
  | {
      kind: 'update';
      table: Table;
      key: Key;
      /** Fields replaced. A dotted path such as `decisions.1` is not allowed here: see `item`. */
      set?: Record<string, unknown>;
      /** Integers added, by dotted path such as `usage.inputTokens`. */
      add?: Record<string, number>;
      /** Values added to a list field that do not stand in it yet. */
      union?: Record<string, string>;
      /** Elements of list fields replaced. */
      item?: Record<string, { index: number; value: unknown }>;
    }
  | { kind: 'delete'; table: Table; key: Key };

export interface Page {
  /** Key of the row before which the page begins (exclusive), from the page before. */
  before?: string | undefined;
  limit: number;
}
export interface Paged<T> {
  items: T[];
  next: string | null;
}

export interface Store {
  /** Events and writes in one transaction, in order; durable when it resolves. Nothing of it is stored when it rejects. */
  commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void>;

  conversation(id: string): Promise<ConversationRow | null>;
  /** Newest `updatedAt` first. */
  conversations(page: Page): Promise<Paged<ConversationRow>>;
  /** Number of a conversation's newest stored event; 0 for none. */
  lastSeq(conversationId: string): Promise<number>;
  /** Events with `from <= seq <= to`, in order. */
  events(conversationId: string, from: number, to: number): Promise<DurableEvent[]>;

  workflow(id: string): Promise<WorkflowRow | null>;
  /** Newest first. */
  workflows(
    page: Page & {
      outcome?: Outcome | undefined;
      agent?: string | undefined;
      conversationId?: string | undefined;
    },
  ): Promise<Paged<WorkflowRow>>;
  /** Workflows whose status is `pending` or `running`. */
  unfinishedWorkflows(): Promise<WorkflowRow[]>;

  run(id: string): Promise<RunRow | null>;
  /** In order of creation. */
  runsOf(workflowIds: readonly string[]): Promise<RunRow[]>;
  /** Entries in order of `n`. */
  entriesOf(runId: string): Promise<Entry[]>;
  callsOf(runIds: readonly string[]): Promise<ToolCallRow[]>;
  approvalsOf(workflowIds: readonly string[]): Promise<Approval[]>;
  approval(id: string): Promise<Approval | null>;
  /** Approvals with an item that nobody has answered. */
  openApprovals(): Promise<Approval[]>;
  /** In order of time. */
  requestsOf(workflowId: string): Promise<(RequestUsage & { runId: string })[]>;
  openMessages(): Promise<OpenMessage[]>;

  close(): Promise<void>;
}
