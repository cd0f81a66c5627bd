/** The port to durable storage: atomic commits of events with their read models, and the bounded queries of the screens. */
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import type { Entry } from '#contract/message.ts';
import type { Grant } from '#contract/permission.ts';
import type { Output, Parsed } from '#contract/rpc.ts';
import type {
  ConversationRow,
  MemoryNote,
  OpenMessage,
  RunRow,
  SearchHit,
  ToolCallRow,
  WorkflowRow,
} from '#contract/view.ts';

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
  | 'memory'
  | 'permission_grant';

/** A row's fields; plain JSON. */
export type Row = Record<string, unknown>;

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

/** What the workflows of a list have in common; all that is given must hold. */
export type WorkflowFilter = Partial<Omit<Parsed<'workflow.list'>, 'before' | 'limit' | 'sort'>>;
export type WorkflowQuery = Page &
  WorkflowFilter & {
    sort?: Parsed<'workflow.list'>['sort'] | undefined;
    /** Only those of one conversation, in the trash or not: newest first, and without a filter. */
    conversationId?: string | undefined;
  };

/** What a rebuild has done so far. */
export interface RebuildProgress {
  conversations: number;
  events: number;
}

export interface Store {
  /** Events and writes in one transaction, in order; durable when it resolves. Nothing of it is stored when it rejects. */
  commit(events: readonly DurableEvent[], writes: readonly Write[]): Promise<void>;

  conversation(id: string): Promise<ConversationRow | null>;
  /** Newest `updatedAt` first; with `unchangedSince` only those that did not change after that instant. */
  conversations(page: Page & { unchangedSince?: string }): Promise<Paged<ConversationRow>>;
  /** Number of a conversation's newest stored event; 0 for none. */
  lastSeq(conversationId: string): Promise<number>;
  /** Events with `from <= seq <= to`, in order. */
  events(conversationId: string, from: number, to: number): Promise<DurableEvent[]>;

  workflow(id: string): Promise<WorkflowRow | null>;
  workflows(query: WorkflowQuery): Promise<Paged<WorkflowRow>>;
  /** The values that occur in listed workflows, most frequent first. */
  facets(): Promise<Output<'workflow.facets'>>;
  /** Entries in which all words of the text occur, newest first. */
  search(query: Page & { text: string }): Promise<Paged<SearchHit>>;
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
  /** The newest questions of all conversations, newest first. */
  newestApprovals(limit: number): Promise<Approval[]>;
  /** In order of time. */
  requestsOf(workflowId: string): Promise<(RequestUsage & { runId: string })[]>;
  openMessages(): Promise<OpenMessage[]>;

  /** What an agent noted in a folder, by name. */
  notesOf(scope: string, folder: string): Promise<MemoryNote[]>;
  /** Of all agents, in one folder or in all. */
  notes(folder?: string): Promise<MemoryNote[]>;

  /** Every grant that was given, by id. */
  grants(): Promise<Grant[]>;
  grant(id: string): Promise<Grant | null>;
  /** Those that were given in a workflow, in order of time. */
  grantsGivenIn(workflow: Pick<WorkflowRow, 'id' | 'endedAt'>): Promise<Grant[]>;

  /** Conversations in the trash, last deleted first. */
  trashed(page: Page): Promise<Paged<ConversationRow>>;
  /** Hides a conversation with all that belongs to it from every list at once; `false`: it is not there, or hidden. */
  trash(conversationId: string, at: string): Promise<boolean>;
  /** Takes it back from the trash; `false`: it is not in it. */
  restore(conversationId: string): Promise<boolean>;
  /** Deletes it for good, in small steps behind; it is gone when this resolves. `false`: it is not in the trash. */
  purge(conversationId: string): Promise<boolean>;
  /** Purges what was deleted before the instant; says how many. */
  purgeTrashedBefore(at: string): Promise<number>;

  /** Resolves when what has ended so far can be found, and what was purged is gone. */
  settled(): Promise<void>;
  /** Makes all read models again from the events. Nothing else may write meanwhile. */
  rebuild(onProgress?: (progress: RebuildProgress) => void, signal?: AbortSignal): Promise<RebuildProgress>;

  close(): Promise<void>;
}
