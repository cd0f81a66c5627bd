/** Rules and grants: what may be done without a question, what must be asked, and what is never done. */
import { z } from 'zod';
import { Permission } from './agent.ts';
import { Phrase } from './approvals/phrase.ts';
import { Id, Instant } from './ids.ts';
import { MAX_NAME_CHARS } from './limits.ts';

export const Effect = z.enum(['deny', 'ask', 'allow']);
export type Effect = z.infer<typeof Effect>;

/** Where a rule or a default is written; null in `file` for what the program brings, and in `line` for a whole file. */
export const Place = z.object({ file: z.string().nullable(), line: z.int().nullable() });
export type Place = z.infer<typeof Place>;

/** A rule as a person wrote it. What it leaves out holds for all. */
export const Rule = z.object({
  id: z.string(),
  /** A project's rules may allow something only where the project is trusted. */
  scope: z.enum(['user', 'project']),
  effect: Effect,
  /** Name of the agent that acts, with wildcards. */
  agent: z.string().nullable(),
  tool: z.string().nullable(),
  permission: Permission.nullable(),
  /** Pattern for the target of the call: paths relative to the folder, or names of sub-agents. */
  pattern: z.string().nullable(),
  place: Place,
});
export type Rule = z.infer<typeof Rule>;

export const GrantScope = z.enum(['workflow', 'conversation', 'project']);
export type GrantScope = z.infer<typeof GrantScope>;

export const MAX_PATTERN_CHARS = 1000;
export const Pattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_CHARS)
  .refine((pattern) => !pattern.includes('\0') && pattern.trim() !== '', 'must not be empty');

/** A grant that the person requests together with an allowing answer. */
export const GrantRequest = z.strictObject({
  scope: GrantScope,
  pattern: Pattern,
  /** Expiry by time or by number of calls; left out: never. */
  minutes: z.int().min(1).max(525_600).optional(),
  calls: z.int().min(1).max(1_000_000).optional(),
});
export type GrantRequest = z.infer<typeof GrantRequest>;

/** The widest grant that an approval offers: same agent, same tool. */
export const GrantOffer = z.object({
  agent: z.string(),
  tool: z.string(),
  /** Matches this very call and no more; of a tool of an MCP server, every call of it. */
  pattern: z.string(),
  scopes: z.array(GrantScope),
});
export type GrantOffer = z.infer<typeof GrantOffer>;

/** Permission given by the person that holds for more than one call. */
export const Grant = z.object({
  id: Id,
  /** Of a temporary agent `spawned:` and its name, so that it never meets a defined one. */
  agent: z.string().max(MAX_NAME_CHARS + 16),
  tool: z.string(),
  /** For a tool of an MCP server: `config` of its `McpOffer`, so that it is for no other server of that name. */
  server: z.string().optional(),
  pattern: z.string(),
  folder: z.string(),
  scope: GrantScope,
  /** Where it was given. */
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  parentRunId: Id.nullable(),
  askedBy: z.string(),
  approvalId: Id,
  givenAt: Instant,
  expiresAt: Instant.nullable(),
  maxCalls: z.int().nullable(),
  calls: z.int(),
  revokedAt: Instant.nullable(),
  /** Signature of the installation over all other fields. Missing in a store of this machine. */
  signature: z.string().max(100).optional(),
});
export type Grant = z.infer<typeof Grant>;

/** One check behind a verdict, in order of evaluation. */
export const VerdictStep = z.object({
  kind: z.enum(['ceiling', 'rule', 'grant', 'agent', 'default', 'fault']),
  /** `grant:<id>` for a grant. */
  id: z.string(),
  effect: Effect,
  /** One sentence. */
  text: z.string(),
  /** The same as keys and values; left out where it is the message of an error. */
  says: Phrase.optional(),
  place: Place,
  /** True for the step that decided. */
  decides: z.boolean(),
});
export type VerdictStep = z.infer<typeof VerdictStep>;

export const Verdict = z.object({
  effect: Effect,
  ruleId: z.string(),
  reason: z.string(),
  /** Only steps that concern the call. */
  steps: z.array(VerdictStep),
  /**
   * What a rule has to name to allow this very call and no other: the agent as such rules know it, and a pattern; null where
   * no rule can name it. `anyPattern`: for a rule that denies or asks, which has to hit the call however it is written; left
   * out where it is the same. Left out of a verdict on what is no call.
   */
  names: z
    .object({ agent: z.string(), pattern: z.string().nullable(), anyPattern: z.string().nullable().optional() })
    .optional(),
  /** Of a call that does several things, such as a line of commands: what is said of each alone. */
  parts: z
    .array(z.object({ value: z.string(), effect: Effect, reason: z.string(), says: Phrase.optional() }))
    .optional(),
});
export type Verdict = z.infer<typeof Verdict>;
