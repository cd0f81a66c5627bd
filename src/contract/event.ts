/** The one union of everything that happens: durable events are stored before they are shown, hints never are. */
import { z } from 'zod';
import { ApprovePolicy, Budget, Envelope, RunKind } from './agent.ts';
import { ApprovalRequest, Context, Decision } from './approval.ts';
import { Door } from './telemetry/door.ts';
import { ErrorInfo } from './error.ts';
import { Id, Instant, ToolCallId } from './ids.ts';
import {
  AssistantEntry,
  CompactionEntry,
  HandoffEntry,
  Image,
  Part,
  PlanItem,
  Review,
  StopReason,
  SystemEntry,
  ToolEntry,
  UserEntry,
} from './message.ts';
import { CopiedFrom, CopiedWorkflow, ForkEnd, ForkStep, Step } from './messages/fork.ts';
import { LeadChoice } from './messages/sending.ts';
import { Outcome, Status, Usage } from './outcome.ts';
import { Grant } from './permission.ts';

/** Who and when; `seq` (durable events only) counts a conversation's events from 1 without gaps. */
const envelope = {
  at: Instant,
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  parentRunId: Id.nullable(),
  agent: z.string(),
};
/** The run's id in the form of tracing systems, and the agents from the person down to this one: always there in what a client gets. */
const trace = { traceId: z.string(), parentChain: z.array(z.string()) };
/** Only `run-queue` is stored with its trace: that of all others follows from it. */
const derived = { traceId: trace.traceId.optional(), parentChain: trace.parentChain.optional() };
const numbered = { seq: z.int().positive(), ...envelope };
const durable = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...numbered, ...derived, ...shape });
const hint = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...envelope, ...derived, ...shape });

/** A sub-agent in the summary of its workflow. */
export const SubAgentSummary = z.object({
  runId: Id,
  agent: z.string(),
  kind: RunKind,
  status: Status,
  outcome: Outcome.nullable(),
  durationMs: z.number().nullable(),
  usage: Usage,
});
export type SubAgentSummary = z.infer<typeof SubAgentSummary>;

/** A model request on its way: its input is counted or estimated, its output is not known. */
export const RequestStart = z.object({
  requestId: Id,
  attempt: z.int(),
  inputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWrite5mTokens: z.int(),
  cacheWrite1hTokens: z.int(),
  /** The provider has not counted it yet: `inputTokens` is an estimate. Left out once it has. */
  inputEstimated: z.boolean().optional(),
  /** Searches of the web that the provider has made in it; left out where it made none. */
  webSearches: z.int().optional(),
});
export type RequestStart = z.infer<typeof RequestStart>;

/**
 * Why a run sends a request outside of its turns: `handoff` writes what its coagent is told, `context` explains an approval,
 * `compaction` summarises what it was told so far.
 */
export const RequestPurpose = z.enum(['review', 'context', 'sampling', 'handoff', 'compaction']);
export type RequestPurpose = z.infer<typeof RequestPurpose>;

/** One attempted model request with what it used. */
export const RequestUsage = z.object({
  requestId: Id,
  provider: z.string(),
  model: z.string(),
  turn: z.int(),
  attempt: z.int(),
  /** Left out for the request of a turn. */
  purpose: RequestPurpose.optional(),
  inputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWrite5mTokens: z.int(),
  cacheWrite1hTokens: z.int(),
  outputTokens: z.int(),
  thinkingTokens: z.int(),
  /** Searches of the web that the provider made in it, which have a price of their own; left out where it made none. */
  webSearches: z.int().optional(),
  /** False if the stream ended before the final usage arrived: the output is then an estimate. */
  reported: z.boolean(),
  /** Nobody knows what the provider counted: `inputTokens` is an estimate too. Left out where it was reported. */
  inputEstimated: z.boolean().optional(),
  stopReason: StopReason.nullable(),
  error: ErrorInfo.nullable(),
  startedAt: Instant,
  firstTokenMs: z.number().nullable(),
  durationMs: z.number(),
  priceVersion: z.string().nullable(),
  nanoUsd: z.int().nullable(),
});
export type RequestUsage = z.infer<typeof RequestUsage>;

/** How long a run and its workflow have worked until now, in milliseconds. */
const Worked = z.object({ runMs: z.number(), workflowMs: z.number() });

/** Context of a failed run: its trace id, the agents from the person down to it, and what it attempted. */
export const FailureContext = z.object({
  traceId: z.string(),
  parentChain: z.array(z.string()),
  attempted: z.string(),
});
export type FailureContext = z.infer<typeof FailureContext>;

/** Set in a copy in a fork: nothing ran here, and nothing is counted. */
const copiedFrom = CopiedFrom.optional();

/** How many sub-agents waited for a slot when one began to wait, itself included; left out where one was free. */
const QueueDepth = z.int().min(1).optional();

export const DurableEvent = z.discriminatedUnion('type', [
  /** A message was accepted (attempt 1), or its interrupted workflow is resumed (2 and up). */
  durable('workflow-start', {
    prompt: z.string(),
    approve: ApprovePolicy,
    attempt: z.int(),
    /** Limits of the whole workflow; left out if unlimited. */
    budget: Budget.optional(),
    /** Pictures of the message, with its first start; left out where there are none. */
    images: z.array(Image).optional(),
    /** What was chosen for its lead with the message; left out for nothing. */
    chosen: LeadChoice.optional(),
    /** The door that the message came through; left out where it is not known, and where an interrupted one goes on. */
    via: Door.optional(),
    /** The id that its sender gave the message, with its first start; left out where there was none. */
    sentAs: Id.optional(),
    /** It was taken over from another conversation, when this one was forked from that; left out of one that was sent here. */
    copiedFrom: CopiedWorkflow.optional(),
    /** The step of another conversation that it goes on from; left out of all others. */
    from: ForkStep.optional(),
  }),
  durable('workflow-end', {
    outcome: Outcome,
    text: z.string(),
    error: ErrorInfo.nullable(),
    durationMs: z.number(),
    usage: Usage,
    subAgents: z.array(SubAgentSummary),
    copiedFrom,
  }),
  /** A run was created and waits: for approval, for a slot, or (a lead) for the workflow before it. */
  z.object({
    type: z.literal('run-queue'),
    ...numbered,
    ...trace,
    kind: RunKind,
    depth: z.int(),
    name: z.string(),
    title: z.string(),
    task: z.string(),
    /** The parent's tool call, and the index in its batch; null and 0 for a lead. */
    toolCallId: ToolCallId.nullable(),
    item: z.int(),
    /** Of a stage: its place in its chain, from 1. Of a coagent: the round that it serves in. */
    place: z.int().min(1).optional(),
    envelope: Envelope,
    envelopeHash: z.string(),
    /** The first run, if this one repeats it in a fork; left out for any other run. */
    again: CopiedFrom.optional(),
    copiedFrom,
  }),
  durable('run-start', {
    attempt: z.int(),
    envelope: Envelope,
    envelopeHash: z.string(),
    queuedMs: z.number(),
    queueDepth: QueueDepth,
    /** Set for a coagent and a stage: it is none of the sub-agents that a workflow may start. */
    serves: z.literal(true).optional(),
    copiedFrom,
  }),
  durable('run-end', {
    outcome: Outcome,
    text: z.string(),
    error: ErrorInfo.nullable(),
    /** With an error. */
    origin: FailureContext.optional(),
    /** Of a run that reviewed itself: all of them, in order. */
    reviews: z.array(Review).optional(),
    /** How many entries its history has now; left out where it did not start. */
    entries: z.int().nonnegative().optional(),
    /** Of one that was ended while it waited. */
    queueDepth: QueueDepth,
    durationMs: z.number(),
    /** As of `usage`; left out where it did not run, or was cut off by a crash. */
    worked: Worked.optional(),
    usage: Usage,
    copiedFrom,
  }),
  /** `atATime`: how many requests its provider takes at a time, where it has to wait for its turn; left out where not. */
  durable('turn-start', { turn: z.int(), model: z.string(), atATime: z.int().min(1).optional() }),
  durable('turn-end', { turn: z.int(), stopReason: StopReason.nullable() }),
  /** `request` holds the usage known when the response began, to account for it if its end is never recorded. */
  durable('message-start', { messageId: Id, turn: z.int(), request: RequestStart }),
  /**
   * A complete part of a response that is still being written, stored before anything is done because of it. `n` is the
   * place that the message will have in its run. From the first of them on the response is final: if its end never
   * comes, these parts are the message.
   */
  durable('message-part', {
    messageId: Id,
    n: z.int().nonnegative(),
    turn: z.int(),
    responseId: z.string().nullable(),
    part: z.int().nonnegative(),
    value: Part,
  }),
  /** The whole of a message; words to the agent and system remarks come as an end without a start. */
  durable('message-end', { entry: z.discriminatedUnion('kind', [UserEntry, AssistantEntry, SystemEntry]) }),
  /** The work went from the agent of this run to its coagent, or came back. */
  durable('handoff', { entry: HandoffEntry }),
  /** What the run was told so far was summarised. */
  durable('compaction', { entry: CompactionEntry }),
  /** The person took a compaction back, or had it hold again: the entry as it is then. */
  durable('compaction-undo', { entry: CompactionEntry }),
  durable('tool-start', { toolCallId: ToolCallId, name: z.string(), input: z.unknown() }),
  durable('tool-end', { entry: ToolEntry }),
  durable('approval-request', { approval: ApprovalRequest }),
  durable('approval-decide', { approvalId: Id, decision: Decision }),
  /** The person asked back; the approval stays open. */
  durable('context-request', { approvalId: Id, n: z.int().nonnegative(), context: Context }),
  /** The agent's reply, with the whole exchange; `n` is its index among the exchanges of the approval. */
  durable('context-end', { approvalId: Id, n: z.int().nonnegative(), context: Context }),
  /**
   * An attempt at a request is sent, so that it is accounted for if its end is never recorded. One outside of the turns
   * has a purpose, and is told again, with what the provider counted, when the response begins. Any is told again when the
   * provider has searched the web in it.
   */
  durable('request-start', { purpose: RequestPurpose.optional(), turn: z.int(), request: RequestStart }),
  durable('retry', { turn: z.int(), attempt: z.int(), delayMs: z.number(), error: ErrorInfo }),
  durable('usage', {
    request: RequestUsage,
    worked: Worked.optional(),
  }),
  /** The agent's plan, whole. */
  durable('plan-change', { items: z.array(PlanItem) }),
  /**
   * A note of the agent's memory was written, or (null) removed. `folder`: the project it belongs to. Where the person
   * removed it (`by`), the run is the one that had written it last.
   */
  durable('memory-change', {
    scope: z.string(),
    folder: z.string(),
    name: z.string(),
    text: z.string().nullable(),
    by: z.literal('person').optional(),
  }),
  /** The person gave or revoked a grant, or a call used one; the grant as it is then. */
  durable('grant-change', { change: z.enum(['given', 'used', 'revoked']), grant: Grant }),
  /** The person raised limits: the new ones, complete, of this event's run or of the workflow. */
  durable('limit-change', { of: z.enum(['run', 'workflow']), limits: Budget }),
  /** The person said something to a run while it works: it reads that before its next request, as an entry with this id. */
  durable('run-say', { wordId: Id, text: z.string() }),
  /** The person undid what a call had written to a file, or took that back. */
  durable('change-undo', {
    toolCallId: ToolCallId,
    path: z.string(),
    /** Further files of the call. */
    also: z.array(z.string()).optional(),
    /** It was a file or a part of one, not all that the call did. */
    part: z.literal(true).optional(),
    undone: z.boolean(),
  }),
  /** A conversation was forked from this one, here: its history ends with this workflow, or right before it; from `step` of it the fork went on, or up to entry `upTo` of it was taken over. */
  durable('workflow-fork', {
    to: Id,
    end: ForkEnd,
    step: Step.optional(),
    upTo: z.int().nonnegative().optional(),
  }),
  durable('notice', { level: z.enum(['info', 'warning', 'error']), text: z.string() }),
]);
export type DurableEvent = z.infer<typeof DurableEvent>;

/** `offset` is the length of the part before this text, in UTF-16 code units. */
const delta = { messageId: Id, part: z.int(), offset: z.int(), text: z.string() };
const DeltaEvent = z.discriminatedUnion('type', [
  hint('message-delta', delta),
  hint('thinking-delta', delta),
  /** The arguments of a call while they are written, as JSON text. */
  hint('tool-delta', { ...delta, toolCallId: ToolCallId, name: z.string() }),
]);
export type DeltaEvent = z.infer<typeof DeltaEvent>;

export const HintEvent = z.discriminatedUnion('type', [
  ...DeltaEvent.options,
  /** What a running call has printed last, and how many bytes in all; told again while it runs, so that a new reader sees it. */
  hint('tool-output', { toolCallId: ToolCallId, tail: z.string(), bytes: z.int() }),
  /** An attempt at a request gets no answer; sent again while that lasts. `silentMs`: milliseconds without a sign of life. */
  hint('request-silent', { turn: z.int(), attempt: z.int(), silentMs: z.number() }),
]);
export type HintEvent = z.infer<typeof HintEvent>;

export type AgentEvent = DurableEvent | HintEvent;
/** An event before the log has numbered it. */
export type EventDraft = DurableEvent extends infer E ? (E extends DurableEvent ? Omit<E, 'seq'> : never) : never;
