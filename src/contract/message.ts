/** The parts of a message, and the entries of a run's transcript in order. */
import { z } from 'zod';
import { CopiedFrom } from './messages/fork.ts';
import { Id, Instant, ToolCallId } from './ids.ts';
import { Outcome } from './outcome.ts';

/** What only the provider can read whole: it goes back to it as it came. */
const Verbatim = z.looseObject({ type: z.string() });
/** `citations`: where the words are from, of a provider that searches the web; left out where it names nothing. */
const TextPart = z.object({ type: z.literal('text'), text: z.string(), citations: z.array(Verbatim).optional() });
/** Thinking is sent back only verbatim, so it keeps the provider's signature. */
const ThinkingPart = z.object({
  type: z.literal('thinking'),
  text: z.string(),
  signature: z.string().nullable(),
});
const RedactedThinkingPart = z.object({ type: z.literal('redacted_thinking'), data: z.string() });
export const ToolUsePart = z.object({
  type: z.literal('tool_use'),
  id: ToolCallId,
  name: z.string(),
  input: z.unknown(),
  /** The model's text for the arguments when it is not JSON, or was cut off; such a call is answered with an error. */
  malformed: z.string().optional(),
  /** The call as the model wrote it, where normalization changed its name or arguments. It is sent back in this form. */
  written: z.object({ name: z.string(), input: z.unknown() }).optional(),
  /** Paths of unknown arguments that normalization dropped. */
  ignored: z.array(z.string()).optional(),
});
/** What the provider did by itself within its response: the block of a call, or of its result. */
const ServerPart = z.object({ type: z.literal('server'), block: Verbatim });
export const Part = z.discriminatedUnion('type', [
  TextPart,
  ThinkingPart,
  RedactedThinkingPart,
  ToolUsePart,
  ServerPart,
]);
export type Part = z.infer<typeof Part>;
export type ToolUsePart = z.infer<typeof ToolUsePart>;

export const StopReason = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  'refusal',
  'context_exceeded',
]);
export type StopReason = z.infer<typeof StopReason>;

export const ToolStatus = z.enum(['completed', 'error', 'cancelled']);
export type ToolStatus = z.infer<typeof ToolStatus>;

/** `n` counts a run's entries from 0 without gaps: the key of `message:[run, n]`. */
const base = { n: z.int().nonnegative(), at: Instant, copiedFrom: CopiedFrom.optional() };

/** A picture as the model was shown it. Its bytes are kept outside of the entry, under their hash. */
export const Image = z.object({
  mediaType: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  bytes: z.int().positive(),
  /** In pixels. */
  width: z.int().positive(),
  height: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Image = z.infer<typeof Image>;

/** What the person said to a run while it worked; kept with its run until that has read it. */
export const Word = z.object({ id: Id, text: z.string(), at: Instant });
export type Word = z.infer<typeof Word>;

/** Words for the agent: from the person, from the parent (the prompt of a sub-agent), from its coagent or from the engine. */
export const UserEntry = z.object({
  ...base,
  kind: z.literal('user'),
  source: z.enum(['person', 'parent', 'engine', 'coagent']),
  text: z.string(),
  /** Runs whose reports this text hands over (sub-agents that went on in the background). */
  reportsOf: z.array(z.string()).optional(),
  /** What the person undid in files, or did again, that this text tells of. */
  undos: z.array(z.string()).optional(),
  /** The word of the person, said while the run worked, that this hands over. */
  said: Id.optional(),
  /** Pictures that the person sent with it; left out where there are none. */
  images: z.array(Image).optional(),
});

/** One response of the model. An interrupted one is shown but never sent back. */
export const AssistantEntry = z.object({
  ...base,
  kind: z.literal('assistant'),
  messageId: z.string(),
  responseId: z.string().nullable(),
  parts: z.array(Part),
  stopReason: StopReason.nullable(),
  interrupted: z.boolean(),
  /**
   * The request that it answers whole; the request of a copy is in the first conversation. Absent from an answer that came
   * in part, and from text of the program.
   */
  request: z.object({ id: Id }).optional(),
  /**
   * Set where a call of it had been acted upon when the rest was lost: its complete parts are the message, and are sent
   * back. `calls`: names of calls that had begun and were lost, as far as they had come.
   */
  cut: z.object({ calls: z.array(z.string()) }).optional(),
  /** The coagent whose words these are; left out: the agent's own. */
  by: z.string().optional(),
});

export const ToolEntry = z.object({
  ...base,
  kind: z.literal('tool'),
  toolCallId: ToolCallId,
  name: z.string(),
  status: ToolStatus,
  /** What the model reads. */
  output: z.string(),
  durationMs: z.number(),
  /** For the person: files touched, diff, counts. Never sent to the model. */
  metadata: z.record(z.string(), z.unknown()),
  /** What the model sees beside the output. */
  image: Image.optional(),
});

/** A limit of a run or of its workflow that was reached, with its value at that time. */
export const Bound = z.object({
  of: z.enum(['run', 'workflow']),
  name: z.enum(['tokens', 'costUsd', 'minutes', 'iterations']),
  value: z.number(),
});
export type Bound = z.infer<typeof Bound>;

/** What a review found of one answer, by the run itself or by its coagent. */
export const Review = z.object({
  /** Number `n` of the reviewed entry. */
  answer: z.int().nonnegative(),
  /** Null if the review could not be parsed. */
  verdict: z
    .object({
      passed: z.boolean(),
      /** Null where a coagent gave none. */
      score: z.int().min(0).max(100).nullable(),
      critique: z.string(),
    })
    .nullable(),
});
export type Review = z.infer<typeof Review>;

export const SystemEntry = z.object({
  ...base,
  kind: z.literal('system'),
  /** `budget`: a limit other than `max_iterations`; `extended`, `retried`: the person raised a limit, or retried; `forked`: a fork begins with what was done until here. */
  code: z.enum([
    ...(['cancelled', 'doom_loop', 'max_iterations', 'budget', 'extended', 'retried', 'resumed'] as const),
    'review',
    'forked',
  ]),
  text: z.string(),
  /** The limit that was reached. */
  bound: Bound.optional(),
  /** Set if and only if the code is `review`. */
  review: Review.optional(),
});

/** The work goes to the coagent, or (`back`) comes from it; where there is none, the agent hands it to itself. Never sent to a model. */
export const HandoffEntry = z.object({
  ...base,
  kind: z.literal('handoff'),
  /** Names of agents. */
  from: z.string(),
  to: z.string(),
  /** The coagent's run, on both ways; null where there is none. */
  runId: Id.nullable(),
  /** Counts the agent's answers from 1. */
  round: z.int().min(1),
  /** The most rounds there may be. */
  rounds: z.int().min(1),
  /** Number `n` of the answer that is handed over. */
  answer: z.int().nonnegative(),
  /** What the other one is told. */
  prompt: z.string(),
  back: z
    .object({
      /** Of the coagent's run. */
      outcome: Outcome,
      /** Left out where the control flow wants none, or the coagent did not complete. */
      review: Review.optional(),
      /** Why it did not complete. */
      error: z.string().optional(),
    })
    .optional(),
});

/**
 * What came before was summarised to make room. Nothing is deleted: requests after it begin with `text` and `kept`, and go
 * on with entry `upTo` of this run.
 */
export const CompactionEntry = z.object({
  ...base,
  kind: z.literal('compaction'),
  /** The summary, as the run's own model wrote it. */
  text: z.string(),
  /** Number `n` of the first entry of this run that stays as it is. */
  upTo: z.int().nonnegative(),
  /** How many entries it stands for of the lead's run in each earlier workflow that it was told of, oldest first. */
  prior: z.array(z.int().nonnegative()),
  /** Which runs those are, in the same order. */
  priorRuns: z.array(Id),
  /** Word for word: what the person said and decided before, and the plan. */
  kept: z.string(),
  /** Input tokens of a request before and after it: counted by the provider as far as known, else by estimate. */
  tokensBefore: z.int(),
  tokensAfter: z.int(),
  /** False where the person asked for it. */
  auto: z.boolean(),
  /** The person took it back (true), or had it hold again (false); left out: neither. */
  undone: z.boolean().optional(),
});

/** One step of an agent's plan; each write replaces the whole list. */
export const PlanItem = z.object({
  content: z.string().min(1).max(500),
  status: z.enum(['pending', 'in_progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']),
});
export type PlanItem = z.infer<typeof PlanItem>;

export const Entry = z.discriminatedUnion('kind', [
  UserEntry,
  AssistantEntry,
  ToolEntry,
  SystemEntry,
  HandoffEntry,
  CompactionEntry,
]);
export type Entry = z.infer<typeof Entry>;
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ToolEntry = z.infer<typeof ToolEntry>;
export type SystemEntry = z.infer<typeof SystemEntry>;
export type HandoffEntry = z.infer<typeof HandoffEntry>;
export type CompactionEntry = z.infer<typeof CompactionEntry>;
