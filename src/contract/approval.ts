/** Approvals: the question, its possible answers and the decision, modelled on the permission request of ACP v2. */
import { z } from 'zod';
import { Envelope } from './agent.ts';
import { Id, Instant, ToolCallId } from './ids.ts';
import { MAX_CHOICES, MAX_QUESTIONS } from './limits.ts';
import { GrantOffer, GrantRequest } from './permission.ts';

export const Risk = z.enum(['low', 'medium', 'high']);
export type Risk = z.infer<typeof Risk>;

/** One sub-agent that waits for a yes; `runId` is the run that would start. */
export const SpawnItem = z.object({
  runId: Id,
  title: z.string(),
  envelope: Envelope,
  hash: z.string(),
});
export type SpawnItem = z.infer<typeof SpawnItem>;

export const Preview = z.object({
  path: z.string(),
  /** A unified diff from what is on disk to what would be written. */
  diff: z.string(),
  added: z.int(),
  removed: z.int(),
  created: z.boolean(),
  /** SHA-256 in hex of the file's bytes when the question was asked; null where there was no file. */
  beforeHash: z.string().nullable().optional(),
});
export type Preview = z.infer<typeof Preview>;

/** A question to the person: one of some choices, any number of them, or words. */
export const PersonQuestion = z.object({
  question: z.string(),
  kind: z.enum(['single', 'multiple', 'text']),
  /** Empty for words; the person may always write something else. */
  choices: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
});
export type PersonQuestion = z.infer<typeof PersonQuestion>;

/** What the person says to one question; null where it was skipped. */
export const Reply = z
  .strictObject({ chosen: z.array(z.string().max(1000)).max(MAX_CHOICES), words: z.string().max(100_000) })
  .nullable();
export type Reply = z.infer<typeof Reply>;

/** What is asked for: sub-agents (one, or up to three of a batch, each answerable alone), one tool call, or an answer. */
export const Subject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('envelopes'),
    operation: z.enum(['spawn', 'delegate', 'parallel']),
    items: z.array(SpawnItem).min(1),
  }),
  z.object({
    kind: z.literal('tool'),
    tool: z.string(),
    input: z.unknown(),
    folder: z.string(),
    preview: Preview.nullable(),
    hash: z.string(),
  }),
  /** Something that an agent is about to do, in its own words; a yes lets it go on and allows no tool call. */
  z.object({
    kind: z.literal('action'),
    action: z.string(),
    reason: z.string(),
    impact: z.string().nullable(),
    folder: z.string(),
    /** All of it as the tool takes it: what an edit changes. */
    input: z.unknown(),
    hash: z.string(),
  }),
  /** An agent wants to know something; a yes carries one reply for each question. */
  z.object({
    kind: z.literal('questions'),
    questions: z.array(PersonQuestion).min(1),
    folder: z.string(),
    hash: z.string(),
  }),
]);
export type Subject = z.infer<typeof Subject>;

export const AnswerOption = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']),
});
export type AnswerOption = z.infer<typeof AnswerOption>;

export const Decision = z.object({
  /** Index of the item answered; 0 for a tool call. */
  item: z.int().nonnegative(),
  outcome: z.enum(['selected', 'edited', 'cancelled']),
  /** One of the request's options; null when cancelled. */
  optionId: z.string().nullable(),
  /** Whether the thing may go ahead. */
  allowed: z.boolean(),
  decidedBy: z.enum(['person', 'rule', 'timeout', 'cancel']),
  ruleId: z.string().nullable(),
  /** Given to the model with a no. */
  reason: z.string().nullable(),
  hashBefore: z.string(),
  hashAfter: z.string(),
  /** What was approved when it differs from what was asked: an envelope, or a tool's input. */
  edited: z.unknown().optional(),
  /** To the questions of an agent, one for each. */
  replies: z.array(Reply).optional(),
  at: Instant,
});
export type Decision = z.infer<typeof Decision>;

export const ApprovalRequest = z.object({
  id: Id,
  conversationId: Id,
  workflowId: Id,
  /** The run that asks. */
  runId: Id,
  toolCallId: ToolCallId,
  agent: z.string(),
  /** From the person down to the agent that asks, such as `["user", "lead", "code-reviewer"]`. */
  chain: z.array(z.string()),
  title: z.string(),
  description: z.string(),
  subject: Subject,
  options: z.array(AnswerOption),
  risk: Risk,
  reversible: z.boolean(),
  /** What may be granted beyond this once; left out where nothing may. */
  grant: GrantOffer.optional(),
  /** What no answer in time is; left out, a no. */
  onTimeout: z.literal('approve').optional(),
  /** Time left to answer, in milliseconds, at `at`; it runs only while someone could answer. */
  remainingMs: z.number(),
  at: Instant,
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** What the person wanted to know before deciding, and what the agent that asks has said. */
export const Context = z.object({
  id: Id,
  question: z.string(),
  /** Null while it writes, and where it could not answer. */
  answer: z.string().nullable(),
  error: z.string().nullable(),
  at: Instant,
});
export type Context = z.infer<typeof Context>;

/** A question with the answers that it has so far, one slot for each item. */
export const Approval = z.object({
  request: ApprovalRequest,
  decisions: z.array(Decision.nullable()),
  /** Oldest first; left out where nothing was asked back. */
  context: z.array(Context).optional(),
});
export type Approval = z.infer<typeof Approval>;

/** An answer as a client gives it. */
export const Answer = z.discriminatedUnion('kind', [
  /** `confirmed`: the second step, without which nothing is allowed that cannot be undone. */
  z.strictObject({
    kind: z.literal('allow'),
    confirmed: z.literal(true).optional(),
    grant: GrantRequest.optional(),
  }),
  z.strictObject({ kind: z.literal('edit'), value: z.unknown(), confirmed: z.literal(true).optional() }),
  /** To the questions of an agent: one for each. */
  z.strictObject({ kind: z.literal('reply'), replies: z.array(Reply).max(MAX_QUESTIONS) }),
  z.strictObject({ kind: z.literal('reject'), reason: z.string().max(10_000) }),
]);
export type Answer = z.infer<typeof Answer>;
