/** Read models as they are stored and sent: one row for each conversation, workflow, run, call; and pages of them. */
import { z } from 'zod';
import { ApprovePolicy, Budget, Envelope, RunKind } from './agent.ts';
import { Approval, Decision, Risk } from './approval.ts';
import { Phrases } from './approvals/phrase.ts';
import { Signals } from './attention/signals.ts';
import { DesktopChoices } from './hosts/desktop-choices.ts';
import { ErrorInfo } from './error.ts';
import { StoreNotice } from './history/store-notice.ts';
import { RequestUsage, SubAgentSummary } from './event.ts';
import { Id, Instant, ToolCallId } from './ids.ts';
import { Entry, Image, PlanItem, Review, Word } from './message.ts';
import { CopiedFrom, CopiedWorkflow, Fork, ForkedFrom, ForkStep } from './messages/fork.ts';
import { ProviderWait } from './messages/provider-wait.ts';
import { LeadChoice } from './messages/sending.ts';
import { Outcome, Status, Tally, Usage } from './outcome.ts';
import { Grant } from './permission.ts';

export const ConversationRow = z.object({
  id: Id,
  title: z.string(),
  /** Its title before the person gave it another: its Markdown keeps its name. Left out where nobody did. */
  firstTitle: z.string().optional(),
  /** The person wants it at hand: before all others. Left out where it is not. */
  pinned: z.boolean().optional(),
  folder: z.string(),
  agent: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
  /** Number of the newest event; 0 for none. */
  lastSeq: z.int(),
  usage: Tally,
  /** When it was moved to the trash; null or left out if it was not. */
  deletedAt: Instant.nullish(),
  /** Where its first workflows are from; left out for one that is no fork. */
  from: ForkedFrom.nullish(),
});
export type ConversationRow = z.infer<typeof ConversationRow>;

export const WorkflowRow = z.object({
  id: Id,
  conversationId: Id,
  /** The lead's run. */
  runId: Id,
  prompt: z.string(),
  agents: z.array(z.string()),
  approve: ApprovePolicy,
  status: Status,
  outcome: Outcome.nullable(),
  text: z.string(),
  error: ErrorInfo.nullable(),
  attempt: z.int(),
  createdAt: Instant,
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  durationMs: z.number().nullable(),
  /** Numbers of its first and newest event in the conversation. */
  firstSeq: z.int(),
  lastSeq: z.int(),
  subAgentCount: z.int(),
  usage: Tally,
  /** The lead was played by the provider `demo`; left out otherwise. */
  demo: z.boolean().nullish(),
  /** Its limits, as raised by the person; left out if unlimited. */
  budget: Budget.nullish(),
  /** Time in which at least one of its runs worked, in milliseconds: without waiting and downtime. */
  workedMs: z.number().nullish(),
  /** Pictures of the message, and what was chosen for its lead with it; left out for none. */
  images: z.array(Image).nullish(),
  chosen: LeadChoice.nullish(),
  /** The id that its sender gave the message; left out where there was none. */
  sentAs: Id.nullish(),
  /** Set in a fork, for what it took over: nothing of it is counted, listed or continued here. */
  copiedFrom: CopiedWorkflow.nullish(),
  /** The step of another conversation that it goes on from: what was done until there is copied. */
  from: ForkStep.nullish(),
  /** The forks that were made at it, in order; left out for none. */
  forks: z.array(Fork).nullish(),
});
export type WorkflowRow = z.infer<typeof WorkflowRow>;

/** As a list tells of it. `times`: in milliseconds, see `work-times.ts`; null before it has ended. */
export const ListedWorkflow = WorkflowRow.extend({
  times: z.object({ workMs: z.number(), waitedMs: z.number() }).nullable(),
});
export type ListedWorkflow = z.infer<typeof ListedWorkflow>;

export const RunRow = z.object({
  id: Id,
  conversationId: Id,
  workflowId: Id,
  parentRunId: Id.nullable(),
  toolCallId: ToolCallId.nullable(),
  item: z.int(),
  agent: z.string(),
  name: z.string(),
  title: z.string(),
  kind: RunKind,
  /** Of a stage: its place in its chain, from 1. Of a coagent: the round that it serves in. */
  place: z.int().nullish(),
  depth: z.int(),
  parentChain: z.array(z.string()),
  traceId: z.string(),
  task: z.string(),
  envelope: Envelope,
  envelopeHash: z.string(),
  /** The first run, if this one repeats it in a fork; left out for any other run. */
  again: CopiedFrom.nullish(),
  status: Status,
  outcome: Outcome.nullable(),
  text: z.string(),
  error: ErrorInfo.nullable(),
  attempt: z.int(),
  queuedAt: Instant,
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  durationMs: z.number().nullable(),
  usage: Tally,
  /** The complete limits after the person raised them; the envelope keeps the approved ones. */
  limits: Budget.nullish(),
  workedMs: z.number().nullish(),
  plan: z.array(PlanItem).nullish(),
  /** What the person said to it while it worked, in order; what it has read of it stands in its entries, too. */
  said: z.array(Word).nullish(),
  /** Reviews of its own answers; set when it has ended. */
  reviews: z.array(Review).nullish(),
  /** How many entries its history had when it last ended. */
  entries: z.int().nullish(),
  /** How many sub-agents waited for a slot when it began to wait, itself included; not set if one was free. */
  queueDepth: z.int().nullish(),
  /** How full its context is: input and output tokens of its last turn, or what a compaction left of them. */
  contextTokens: z.int().nullish(),
  /** Set in a fork for a run that is copied whole: nothing of it ran here. */
  copiedFrom: CopiedFrom.nullish(),
  /** What the person was told beside its transcript, such as why its context was not compacted. */
  notices: z.array(z.object({ level: z.enum(['info', 'warning', 'error']), text: z.string(), at: Instant })).nullish(),
});
export type RunRow = z.infer<typeof RunRow>;

/** The person put back what was there before a write (`undone`), or had it written again. */
const Undo = z.object({
  path: z.string(),
  also: z.array(z.string()).optional(),
  part: z.literal(true).optional(),
  undone: z.boolean(),
  at: Instant,
});

/** A call that was started or refused; the call itself stands in its response, its result in the tool entry. */
export const ToolCallRow = z.object({
  runId: Id,
  toolCallId: ToolCallId,
  name: z.string(),
  status: z.enum(['running', 'completed', 'error', 'cancelled']),
  startedAt: Instant,
  endedAt: Instant.nullable(),
  /** Why it was refused, without anything done; left out where it was not. What the person or a rule answered stands in the approval. */
  refusal: z.string().optional(),
  /** The file that it wrote, relative to the folder; left out where it wrote none. */
  wrote: z.string().optional(),
  /** Further files that it changed. */
  wroteAlso: z.array(z.string()).optional(),
  /** The note of the folder that it read, relative to that; left out where it read none. */
  read: z.string().optional(),
  /** The person undid what it wrote; left out: never. */
  undone: z.boolean().optional(),
  /** Each time that the person undid it or had it written again, in order; left out: never. */
  undos: z.array(Undo).optional(),
});
export type ToolCallRow = z.infer<typeof ToolCallRow>;

/** A message that is being streamed, with the text of each part so far. */
export const OpenMessage = z.object({
  messageId: Id,
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  at: Instant,
  parts: z.array(
    z.object({
      kind: z.enum(['text', 'thinking', 'tool']),
      text: z.string(),
      toolCallId: ToolCallId.nullable(),
      name: z.string().nullable(),
    }),
  ),
});
export type OpenMessage = z.infer<typeof OpenMessage>;

/** Initial state for a client: the newest workflows of a conversation, as of event `seq`. */
export const Snapshot = z.object({
  seq: z.int(),
  conversation: ConversationRow,
  /** Oldest first; `more` says whether older ones exist. */
  workflows: z.array(WorkflowRow),
  more: z.boolean(),
  /** In a fork also those of the conversation that it is from: `copiedFrom` of each names itself. */
  runs: z.array(RunRow),
  /** Entries of the leads' runs, and of runs that have not ended. */
  entries: z.record(z.string(), z.array(Entry)),
  calls: z.array(ToolCallRow),
  approvals: z.array(Approval),
  open: z.array(OpenMessage),
  /** By run id, for those that wait for their turn: how many requests at a time their provider takes; left out for none. */
  asking: z.record(z.string(), z.int()).optional(),
  /** By run id: requests that wait for their provider; left out for none. */
  waits: z.record(z.string(), ProviderWait).optional(),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** What happened in a session, as a list of sessions tells it; workflows oldest first. */
export const SessionWork = z.object({
  conversationId: Id,
  workflows: z.array(
    WorkflowRow.pick({ id: true, outcome: true, status: true, startedAt: true, subAgentCount: true }).extend({
      /** Also those that were asked for and did not start. */
      subAgents: z.array(SubAgentSummary),
      usage: Usage,
    }),
  ),
});
export type SessionWork = z.infer<typeof SessionWork>;

export const WorkflowDetail = z.object({
  conversation: ConversationRow,
  workflow: WorkflowRow,
  /** In order of creation: the lead first. */
  runs: z.array(RunRow),
  calls: z.array(ToolCallRow),
  approvals: z.array(Approval),
  requests: z.array(RequestUsage.extend({ runId: Id })),
  /** Those given in it, and those that answered in it, as they are now; left out where there are none. */
  grants: z.array(Grant).optional(),
  /** Of what a fork took over: the sub-agents that worked where it is from, as in `Snapshot`; left out where there are none. */
  elsewhere: z.array(RunRow).optional(),
});
export type WorkflowDetail = z.infer<typeof WorkflowDetail>;

/** A workflow that was cut off and goes on only when the person resumes it. */
export const Interrupted = z.object({
  conversationId: Id,
  workflowId: Id,
  /** The beginning of its message. */
  title: z.string(),
  agent: z.string(),
  /** When it was cut off. */
  at: Instant,
});
export type Interrupted = z.infer<typeof Interrupted>;

/** Open approvals and running workflows of all conversations; always sent whole. */
export const Attention = z.object({
  questions: z.array(Approval),
  /** Open approvals of interrupted workflows: their clocks are paused, and an answer resumes the workflow. */
  asleep: z.array(Approval),
  running: z.array(
    z.object({
      conversationId: Id,
      workflowId: Id,
      title: z.string(),
      runs: z.int(),
      /** The runs of its sub-agents, in the order in which they were asked for. */
      subAgents: z.array(Id),
    }),
  ),
  /** The newest of them, each the last of its conversation; left out until they are known. */
  interrupted: z.array(Interrupted).optional(),
  /** Work waits because the disk of the data folder is full. */
  diskFull: ErrorInfo.optional(),
  /** Damage of the history, until a window hides it. */
  storeNotice: StoreNotice.optional(),
  /** MCP servers that refused what was asked of them until the person signs in. */
  signIns: z.array(z.object({ server: z.string(), at: Instant })).optional(),
  /** How the person wants to be called. */
  signals: Signals.optional(),
  /** Settings of the desktop around the pages. */
  desktop: DesktopChoices.optional(),
});
export type Attention = z.infer<typeof Attention>;

/** A decided approval item: what was asked, and who decided. */
export const Answered = z.object({
  approvalId: Id,
  conversationId: Id,
  workflowId: Id,
  /** The run that asked. */
  runId: Id,
  /** The agent that would start, or else the one that asked. */
  agent: z.string(),
  kind: z.enum(['envelopes', 'tool', 'action', 'control-files', 'replaced-folder', 'questions', 'limit']),
  title: z.string(),
  /** Where the title is no name of a task: the same as keys and values. */
  says: Phrases.optional(),
  risk: Risk,
  /** Without what was edited or replied: that stands in the history. */
  decision: Decision.omit({ edited: true, replies: true }),
  /** The grant that answered, where one did. */
  grant: Grant.nullable(),
});
export type Answered = z.infer<typeof Answered>;

/** A lead or a sub-agent in the receipt of a stop. `place`: 0 for the lead, else which sub-agent of its workflow, from 1. */
export const StoppedRun = z.object({ agent: z.string(), place: z.int() });
export type StoppedRun = z.infer<typeof StoppedRun>;

/**
 * What a stop ended: numbers by kind; `left` counts the runs of these that have not ended yet. `ended` names the leads and
 * sub-agents among them, `goOn` those of the workflow that still run and were not meant. `withdrawn` lists the workflows
 * of queued messages that were cancelled before they started, oldest first. `queued` counts the messages of the
 * conversation that still wait.
 */
export const StopReceipt = z.object({
  agents: z.int(),
  requests: z.int(),
  tools: z.int(),
  approvals: z.int(),
  left: z.int(),
  ended: z.array(StoppedRun),
  goOn: z.array(StoppedRun),
  withdrawn: z.array(Id),
  queued: z.int(),
});
export type StopReceipt = z.infer<typeof StopReceipt>;
/** A search hit: one entry of a run. */
export const SearchHit = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  /** Number of the entry in its run. */
  n: z.int(),
  /** `interim`: what an agent said on the way to its answer or report. */
  kind: z.enum(['prompt', 'answer', 'task', 'report', 'interim', 'tool']),
  agent: z.string(),
  /** Title of the conversation. */
  title: z.string(),
  at: Instant,
  /** Text around the first hit; `hits` are ranges in it, in UTF-16 code units. */
  snippet: z.string(),
  hits: z.array(z.object({ start: z.int(), end: z.int() })),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** A conversation whose title has the words of a search; `hits` as of `SearchHit`. */
export const TitleHit = z.object({
  conversationId: Id,
  title: z.string(),
  /** When it was last used. */
  at: Instant,
  hits: SearchHit.shape.hits,
});
export type TitleHit = z.infer<typeof TitleHit>;

/** A note that an agent keeps for later workflows in the same folder; only agents of the same scope read it. */
export const MemoryNote = z.object({
  scope: z.string(),
  folder: z.string(),
  name: z.string(),
  text: z.string(),
  updatedAt: Instant,
  /** The run that wrote it last. */
  writer: z
    .object({
      conversationId: Id,
      workflowId: Id,
      runId: Id,
      parentRunId: Id.nullable(),
      agent: z.string(),
    })
    .optional(),
});
export type MemoryNote = z.infer<typeof MemoryNote>;

/** One setting with all that a form needs. */
export const SettingRow = z.object({
  path: z.string(),
  kind: z.enum(['integer', 'number', 'text', 'choice', 'boolean']),
  /** One sentence. */
  description: z.string(),
  /** Null: not set, and without a default. */
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  default: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  min: z.number().nullable(),
  max: z.number().nullable(),
  choices: z.array(z.string()).nullable(),
  /** A value that it may have, where not every text will do; left out otherwise. */
  example: z.string().optional(),
});
export type SettingRow = z.infer<typeof SettingRow>;
