/** Approvals: the question, its possible answers and the decision, modelled on the permission request of ACP v2. */
import { z } from 'zod';
import { ApprovalMode, Budget, Envelope, Permission } from './agent.ts';
import { Phrase, Phrases } from './approvals/phrase.ts';
import { Id, Instant, ToolCallId } from './ids.ts';
import { MAX_CHOICES, MAX_QUESTIONS } from './limits.ts';
import { Bound } from './message.ts';
import { CopiedFrom } from './messages/fork.ts';
import { GrantOffer, GrantRequest, VerdictStep } from './permission.ts';

export const Risk = z.enum(['low', 'medium', 'high']);
export type Risk = z.infer<typeof Risk>;

/**
 * What becomes of calls whose targets nobody knows yet: all are asked about, some are (a rule, a grant or the mode tells them
 * apart), none is, or all are refused.
 */
export const Asking = z.enum(['all', 'some', 'none', 'refused']);
export type Asking = z.infer<typeof Asking>;

/** Tools that need the same permissions, and whose calls are asked about alike. */
export const CallGroup = z.object({
  tools: z.array(z.string()),
  permissions: z.array(Permission),
  /** By the mode that the agent is approved with. */
  asking: z.record(ApprovalMode, Asking),
  /** It has them whatever its envelope names. */
  always: z.literal(true).optional(),
});
export type CallGroup = z.infer<typeof CallGroup>;

/** What a sub-agent's own actions will ask, in sentences, from the rules that held when its approval was asked. */
export const OwnActions = z.object({
  /** Tools that write or reach out, among all that it may be given. */
  writers: z.array(z.string()),
  /** By the mode that it is approved with, where it has one of those tools. */
  byMode: z.record(ApprovalMode, z.string()),
  /** Where it has none of them. */
  without: z.string(),
  /** The sentences as keys and values. */
  says: z.object({ byMode: z.record(ApprovalMode, z.array(Phrase)), without: z.array(Phrase) }).optional(),
  /** All tools that it may be given. */
  calls: z.array(CallGroup).optional(),
});
export type OwnActions = z.infer<typeof OwnActions>;

/** The most that a run and all that serve it can ask of models, if every limit is used up. */
export const WorstCase = z.object({
  requests: z.int(),
  /** Billionths of a US dollar; null where a price or a model's context is not known. */
  nanoUsd: z.int().nullable(),
});
export type WorstCase = z.infer<typeof WorstCase>;

/** What an agent would be as the lead of a conversation. The prompt of the envelope stands for the person's message. */
export const LeadPreview = z.object({ envelope: Envelope, worst: WorstCase });
export type LeadPreview = z.infer<typeof LeadPreview>;

/**
 * Author of a text of a question. `builtin`: ships with the program. `person`: a file in the person's own folders.
 * `trusted`: a file of the workspace, with the content that the person trusts. `agent`: a model, an untrusted file, or an
 * unknown author.
 */
export const TextSource = z.enum(['builtin', 'person', 'trusted', 'agent']);
export type TextSource = z.infer<typeof TextSource>;

/** The source of one text of an envelope, and whether the person must read the text before they allow it. */
export const TextReading = z.object({
  /** `prompt`, `systemPrompt`, `criteria` or `instruction PATH`; of an agent that works with it, after the key of that agent. */
  name: z.string(),
  source: TextSource,
  /** The person allowed exactly this text before in this workspace; left out if not, or if its source needs no reading. */
  allowedBefore: z.literal(true).optional(),
  mustRead: z.boolean(),
});
export type TextReading = z.infer<typeof TextReading>;

/** One sub-agent that needs approval; `runId` is the run that would start. */
export const SpawnItem = z.object({
  runId: Id,
  title: z.string(),
  envelope: Envelope,
  hash: z.string(),
  ownActions: OwnActions.optional(),
  /** Of the coagent and the stages, in the order in which the envelope names them; left out where there are none. */
  served: z.array(z.object({ agent: z.string(), ownActions: OwnActions })).optional(),
  worst: WorstCase.optional(),
  /** Models that their endpoints do not list; left out where there are none. */
  modelWarnings: z.array(z.object({ message: z.string(), says: z.array(Phrase) })).optional(),
  /** One for each text of the envelope. A text without one must be read. */
  texts: z.array(TextReading).optional(),
  /** The first run, if the person requested a rerun of it. Left out if an agent requested the start. */
  again: CopiedFrom.optional(),
});
export type SpawnItem = z.infer<typeof SpawnItem>;

export const Preview = z.object({
  path: z.string(),
  /** A unified diff from what is on disk to what would be written. */
  diff: z.string(),
  added: z.int(),
  removed: z.int(),
  created: z.boolean(),
  /** The file goes. */
  deleted: z.literal(true).optional(),
  /** False where the diff stands for a change that is too large, or no text; left out: it shows all. */
  whole: z.literal(false).optional(),
  /** SHA-256 in hex of the file's bytes when the question was asked; null where there was no file. */
  beforeHash: z.string().nullable().optional(),
});
export type Preview = z.infer<typeof Preview>;

/** A question to the person: single choice, multiple choice or free text. */
export const PersonQuestion = z.object({
  question: z.string(),
  kind: z.enum(['single', 'multiple', 'text']),
  /** Empty for free text; the person may always write something else. */
  choices: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
});
export type PersonQuestion = z.infer<typeof PersonQuestion>;

/** The person's reply to one question; null if it was skipped. */
export const Reply = z
  .strictObject({ chosen: z.array(z.string().max(1000)).max(MAX_CHOICES), words: z.string().max(100_000) })
  .nullable();
export type Reply = z.infer<typeof Reply>;

/** What an MCP server says of its tool, which is data: it answers nothing. */
export const McpSubject = z.object({
  server: z.string(),
  /** Its command with all arguments, or its address. */
  runs: z.string(),
  /** The server's own name for it; null: its resources are read. */
  tool: z.string().nullable(),
  description: z.string(),
  /** What it said when the person last agreed, where that was something else. */
  before: z.string().nullable(),
  /** SHA-256 in hex of what it says of itself, with the schema of its arguments. */
  hash: z.string(),
});
export type McpSubject = z.infer<typeof McpSubject>;

/** A file that starts or configures programs outside the sandbox, and that a command changed. */
export const ControlChange = z.object({
  /** Relative to the workspace, or absolute for a file in a git directory outside of it. */
  path: z.string(),
  change: z.enum(['added', 'changed', 'removed']),
  /** Text of the new file, cut if it is long; null if it is no text, too large or removed. */
  content: z.string().nullable(),
});
export type ControlChange = z.infer<typeof ControlChange>;

/** What is asked for: sub-agents (one, or up to three of a batch, each answerable alone), one tool call, or an answer. */
export const Subject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('envelopes'),
    operation: z.enum(['spawn', 'delegate', 'parallel']),
    items: z.array(SpawnItem).min(1),
    /** The lead does not wait for them. */
    background: z.literal(true).optional(),
  }),
  z.object({
    kind: z.literal('tool'),
    tool: z.string(),
    input: z.unknown(),
    folder: z.string(),
    preview: Preview.nullable(),
    hash: z.string(),
    /** Of a tool of an MCP server; left out of all others. */
    mcp: McpSubject.optional(),
    /** The command would run in a terminal of the client, outside of the sandbox. */
    terminal: z.literal(true).optional(),
    /** Where the agent's shell stands, and so the command begins, relative to `folder`; left out: in `folder` itself. */
    startsIn: z.string().min(1).optional(),
    /** Names of the keys that a file shows, such as "GitHub token"; left out if it shows none. */
    keys: z.array(z.string()).min(1).optional(),
  }),
  /** An action that the agent describes in its own words; allowing it lets the agent go on but permits no tool call. */
  z.object({
    kind: z.literal('action'),
    action: z.string(),
    reason: z.string(),
    impact: z.string().nullable(),
    folder: z.string(),
    /** The tool's whole input; an edit replaces it. */
    input: z.unknown(),
    hash: z.string(),
  }),
  /** Changed files that start or configure programs outside the sandbox. A yes keeps them, a no puts them back. */
  z.object({
    kind: z.literal('control-files'),
    files: z.array(ControlChange).min(1),
    folder: z.string(),
    hash: z.string(),
  }),
  /** Another folder has the path of the workspace. A yes lets later calls use it. `hash`: of its path and identity. */
  z.object({ kind: z.literal('replaced-folder'), folder: z.string(), hash: z.string() }),
  /**
   * A run, or a workflow in the name of its lead, waits at a limit. A yes extends it by `add`, an edit by another budget.
   * A no lets the run finish with one last request. `run.stop` stops it.
   */
  z.object({ kind: z.literal('limit'), bound: Bound, add: Budget, folder: z.string(), hash: z.string() }),
  /** Questions of an agent; an allowing answer carries one reply for each. */
  z.object({
    kind: z.literal('questions'),
    questions: z.array(PersonQuestion).min(1),
    folder: z.string(),
    hash: z.string(),
  }),
]);
export type Subject = z.infer<typeof Subject>;

/** Returns whether a question is about the workspace. Only the person answers it, and no rule for its call applies. */
export const isAboutWorkspace = (kind: Subject['kind'] | undefined): boolean =>
  kind === 'control-files' || kind === 'replaced-folder';

/** Id of the stop option of a limit question. It is not sent as an answer: the client calls `run.stop`. */
export const STOP_OPTION = 'stop';

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
  /** Shown to the model with a rejection. */
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
  /** Title and description as keys and values, for who reads another language. */
  says: Phrases.optional(),
  subject: Subject,
  options: z.array(AnswerOption),
  /** The step that decided each item when approval was requested; left out if no rule could decide. */
  why: z.array(VerdictStep).optional(),
  risk: Risk,
  reversible: z.boolean(),
  /** What may be granted beyond this call; left out if nothing may. */
  grant: GrantOffer.optional(),
  /** The decision when time runs out; left out: rejected. */
  onTimeout: z.literal('approve').optional(),
  /** Asked while its call runs, by what the call has started; the call itself is another question. */
  during: z.literal(true).optional(),
  /** Time left to answer, in milliseconds, at `at`; it runs only while someone could answer. */
  remainingMs: z.number(),
  at: Instant,
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** One question that the person asked back before deciding, and the agent's reply. */
export const Context = z.object({
  id: Id,
  question: z.string(),
  /** Null while the agent writes, and if it could not answer. */
  answer: z.string().nullable(),
  error: z.string().nullable(),
  at: Instant,
});
export type Context = z.infer<typeof Context>;

/** An approval request with its decisions so far, one slot for each item. */
export const Approval = z.object({
  request: ApprovalRequest,
  decisions: z.array(Decision.nullable()),
  /** Questions asked back, oldest first; left out if there are none. */
  context: z.array(Context).optional(),
});
export type Approval = z.infer<typeof Approval>;

/** An answer as a client gives it. */
export const Answer = z.discriminatedUnion('kind', [
  /** `confirmed`: the second confirmation, required for irreversible actions. */
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
