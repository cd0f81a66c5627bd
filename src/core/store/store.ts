/** The storage port: atomic commits of events, read models that follow from them, and bounded queries. */
import type { JournalCheck, JournalState } from '#contract/history/journal-methods.ts';
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
import type { Unlisted } from '#contract/missing.ts';
import type { Approval } from '#contract/approval.ts';
import type { DurableEvent, RequestUsage } from '#contract/event.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Entry } from '#contract/message.ts';
import type { Grant } from '#contract/permission.ts';
import type { RowChange, RowPlace, Table, TableRows } from '#contract/rows.ts';
import type { Output, Parsed } from '#contract/rpc.ts';
import type { DiskFull } from './disk-space.ts';
import type { StoreNotices } from './recovery/store-notices.ts';
import type {
  ConversationRow,
  MemoryNote,
  OpenMessage,
  RunRow,
  SessionWork,
  SearchHit,
  ToolCallRow,
  WorkflowRow,
} from '#contract/view.ts';

/** A row's fields; plain JSON. */
export type Row = Record<string, unknown>;

/** A change of an existing row, computed from the row as it is after the items before it. */
export type ExistingRowChange = {
  [T in Table]: RowPlace<T> & { change: (row: TableRows[T]) => TableRows[T] };
}[Table];

/** What a commit stores: an event with the rows that follow from it, a whole row, or a change of a row. */
export type CommitItem = { event: DurableEvent } | RowChange | ExistingRowChange;

export interface Page {
  /** Cursor of the previous page (exclusive). */
  before?: string | undefined;
  limit: number;
}
/** `kind`: only what is of it, `workflows` or `executions`: only what such a list has, see `history.search`. */
export interface Search extends Page {
  text: string;
  kind?: SearchHit['kind'] | undefined;
  workflows?: WorkflowFilter | undefined;
  executions?: ExecutionFilter | undefined;
}
/** `text`: see `conversation.list`. `unchangedSince`: those that did not change after that instant, and are not pinned. */
export interface ConversationQuery extends Page {
  text?: string | undefined;
  folder?: string | undefined;
  pinned?: true | undefined;
  unchangedSince?: string;
}
export interface Paged<T> {
  items: T[];
  next: string | null;
}

/** Filters of a workflow list; all given ones must match. */
export type WorkflowFilter = Partial<Omit<Parsed<'workflow.list'>, 'before' | 'limit' | 'sort'>>;
export type WorkflowQuery = Page &
  WorkflowFilter & {
    sort?: Parsed<'workflow.list'>['sort'] | undefined;
    /** Only those of one conversation, even one in the trash; newest first, without filters. */
    conversationId?: string | undefined;
  };

/** Filters of a list of executions; all given ones must match. */
export type ExecutionFilter = Partial<Omit<Parsed<'execution.list'>, 'before' | 'limit' | 'sort'>>;
export type ExecutionQuery = Page & ExecutionFilter & { sort?: Parsed<'execution.list'>['sort'] | undefined };

/** What runs said (by run), called, and asked the model for, in order of time. */
export interface Records {
  entries: Map<string, Entry[]>;
  calls: ToolCallRow[];
  requests: (RequestUsage & { runId: string })[];
}

/** `entries`: how many the run has; where fewer are found, those behind a place that cannot be read are looked for. */
export type RecordedRun = Pick<RunRow, 'id' | 'workflowId' | 'entries'>;

/** Vectors that may be compared with each other. */
export interface Space {
  embedder: string;
  dimensions: number;
  /** Canonical path. */
  folder: string;
}

/** What a vector is of. */
export interface Embedded {
  /** The conversation of a report; empty for a note. */
  owner: string;
  hash: string;
  /** Where the text stood when it was embedded. */
  path: string;
}

export interface VectorTable {
  /** How many numbers each vector had in the table that this one has taken the place of; null where it took none. */
  readonly replaced: number | null;
  /** All that is there, by `vectorKey`. */
  readonly known: ReadonlyMap<string, Embedded>;
  /** Nothing of a report whose conversation is in the trash, or gone. */
  put(rows: readonly (Embedded & { vector: Float32Array })[]): Promise<void>;
  delete(rows: readonly Embedded[]): Promise<void>;
  /** The keys of those that mean nearly the same, nearest first; what has nothing in common is left out. */
  nearest(owners: readonly string[], vector: Float32Array, count: number): Promise<string[]>;
}

export interface Vectors {
  /** Makes the table where it is not there yet. */
  table(space: Space): Promise<VectorTable>;
  /** Deletes those of a conversation's reports. */
  forget(conversationId: string): Promise<void>;
}

/** The archive beside a store. */
export interface ArchiveReads {
  /** Returns the ids of archived conversations, in the order of their creation. */
  conversations(): Promise<string[]>;
  /** Compares a conversation in the store and in the archive. */
  check(conversationId: string): Promise<ArchiveCheck>;
}

export interface Store {
  /**
   * Aborts with `store_failed` when the folder of the store has vanished, or when rows could not be written behind
   * their events: nothing more can be kept.
   */
  readonly lost: AbortSignal;
  /** The error with which a commit would be rejected now because the disk is full; null if there is space. */
  diskFull(): DiskFull | null;
  /**
   * Stores events with the rows that follow from them, and rows that no event makes, in order. All later reads see them
   * once it resolves, and no kill takes them back; nothing is stored if it rejects. Rejects with `store_failed` if an
   * item must change a row that does not exist.
   */
  commit(items: readonly CommitItem[]): Promise<void>;
  /** Stores events of a history that is rebuilt, in a store that nothing else uses. Numbers and rows may be missing. */
  restoreEvents(events: readonly DurableEvent[]): Promise<void>;

  conversation(id: string): Promise<ConversationRow | null>;
  /** Newest `updatedAt` first. */
  conversations(query: ConversationQuery): Promise<Paged<ConversationRow>>;
  /** Every conversation, in the trash or not, that anything names; those that are being purged are left out. In order. */
  conversationIds(): Promise<string[]>;
  /**
   * Number of conversations and workflows that the lists lack: a list ends silently at a damaged block. Compares the
   * lists with totals that each flush writes. Runs once in the life of the store.
   */
  unlisted(): Promise<Unlisted>;
  /** Number of a conversation's newest stored event; 0 for none. */
  lastSeq(conversationId: string): Promise<number>;
  /** Events with `from <= seq <= to`, in order, as far as they can be read; `check.ts` knows what is missing. */
  events(conversationId: string, from: number, to: number): Promise<DurableEvent[]>;

  workflow(id: string): Promise<WorkflowRow | null>;
  /** The one that a message began, by the id that its sender gave it. */
  workflowSentAs(conversationId: string, sentAs: string): Promise<WorkflowRow | null>;
  workflows(query: WorkflowQuery): Promise<Paged<WorkflowRow>>;
  /** The newest ended workflows of a folder, at most `limit`, in which notes of it were read or written, with those. */
  notedWorkflows(folder: string, limit: number): Promise<{ workflow: WorkflowRow; notes: string[] }[]>;
  /** The values that occur in listed workflows, most frequent first. */
  facets(): Promise<Output<'workflow.facets'>>;
  /** Executions of sub-agents. */
  executions(query: ExecutionQuery): Promise<Paged<SubAgentExecution>>;
  /** The values that occur in listed executions, most frequent first. */
  executionFacets(): Promise<Output<'execution.facets'>>;
  /** Totals of days: of workflows and, with `by`, of what their agents or models used. */
  workflowDays(query: Parsed<'workflow.days'>): Promise<Output<'workflow.days'>>;
  executionDays(query: Parsed<'execution.days'>): Promise<Output<'execution.days'>>;
  /** Entries in which all words of the text occur, newest first. */
  search(query: Search): Promise<Paged<SearchHit>>;
  /** Workflows whose status is `pending` or `running`. */
  unfinishedWorkflows(): Promise<WorkflowRow[]>;

  run(id: string): Promise<RunRow | null>;
  /** In the order of the ids, without texts and envelopes: for long lists. */
  sessionWork(conversationIds: readonly string[]): Promise<SessionWork[]>;
  /** In order of creation. */
  runsOf(workflowIds: readonly string[]): Promise<RunRow[]>;
  /** Entries in order of `n`, as far as they can be read. */
  entriesOf(runId: string): Promise<Entry[]>;
  callsOf(runIds: readonly string[]): Promise<ToolCallRow[]>;
  /** The rows of these runs in `sub_agent_execution`, as far as they are there and can be read; in their order. */
  executionsOf(runIds: readonly string[]): Promise<SubAgentExecution[]>;
  approvalsOf(workflowIds: readonly string[]): Promise<Approval[]>;
  approval(id: string): Promise<Approval | null>;
  /** Approvals with at least one undecided item. */
  openApprovals(): Promise<Approval[]>;
  /** The newest approvals of all conversations, newest first. */
  newestApprovals(limit: number): Promise<Approval[]>;
  /** In order of time. */
  requestsOf(workflowId: string): Promise<Records['requests']>;
  /** These kinds of records of runs in one read, as the three reads above give them; empty for the other kinds. */
  recordsOf(runs: readonly RecordedRun[], kinds: readonly (keyof Records)[]): Promise<Records>;
  openMessages(): Promise<OpenMessage[]>;

  /** Notes of one agent scope in a folder, sorted by name. */
  notesOf(scope: string, folder: string): Promise<MemoryNote[]>;
  /** Notes of all agents, in one folder or in all, without those that belong to one run. */
  notes(folder?: string): Promise<MemoryNote[]>;

  /** Of notes and reports: a cache, which no event makes. */
  readonly vectors: Vectors;

  /** Every grant that was given, by id. */
  grants(): Promise<Grant[]>;
  grant(id: string): Promise<Grant | null>;
  /** Grants given in a workflow, in order of time. */
  grantsGivenIn(workflow: Pick<WorkflowRow, 'id' | 'endedAt'>): Promise<Grant[]>;

  /** Conversations in the trash, last deleted first. */
  trashed(page: Page): Promise<Paged<ConversationRow>>;
  /** Hides a conversation and everything in it from all lists at once. False: not found, or already in the trash. */
  trash(conversationId: string, at: string): Promise<boolean>;
  /** Restores it from the trash. False: it is not in the trash. */
  restore(conversationId: string): Promise<boolean>;
  /** Deletes it permanently: gone when this resolves; the background deletes its rows. False: not in the trash. */
  purge(conversationId: string): Promise<boolean>;
  /** At most `limit` conversations that were moved to the trash before the instant. */
  trashedBefore(at: string, limit: number): Promise<string[]>;

  /** Null without an archive: a store in memory, on a server, or outside of the data folder. */
  readonly archive: ArchiveReads | null;

  /** The journal beside the store; its methods return null for a store without one. */
  readonly journal: { state(): Promise<JournalState | null>; check(): Promise<JournalCheck | null> };

  /** What the person must know about damage. */
  readonly notices: Pick<StoreNotices, 'current' | 'hide' | 'onChange'>;

  /** Resolves when the background work is done: ended workflows are indexed and archived, purged rows deleted. */
  settled(): Promise<void>;

  /**
   * Begins a backup: copies its files, as of one instant, to `store/` in a new folder, which it returns; commits and
   * reads wait meanwhile. Rejects with `conflict` for a store in memory, with `store_unwritable` where there is no room.
   */
  beginBackup(): Promise<string>;

  close(): Promise<void>;
}
