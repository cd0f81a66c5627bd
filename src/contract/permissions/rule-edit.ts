/** How the person changes the rules of a file, and what the rules would decide about calls of the past. */
import { z } from 'zod';
import { Permission } from '../agent.ts';
import { Id, Instant, ToolCallId } from '../ids.ts';
import { Effect, Rule } from '../permission.ts';

/** A rule as it is to be written; what it leaves out holds for all. Checked as the file is. */
export const RuleWish = z.strictObject({
  effect: Effect,
  agent: z.string().max(1000).optional(),
  tool: z.string().max(1000).optional(),
  permission: Permission.optional(),
  pattern: z.string().max(5000).optional(),
});
export type RuleWish = z.infer<typeof RuleWish>;

/** Place of a rule in its file, from 0. */
const place = z.int().nonnegative().max(1000);

/** `at`, `to`: the place that the rule has afterwards; left out: the last one of a new rule, and the same of one that is changed. */
export const RuleEdit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), rule: RuleWish, at: place.optional() }),
  z.strictObject({ kind: z.literal('change'), index: place, rule: RuleWish, to: place.optional() }),
  z.strictObject({ kind: z.literal('move'), index: place, to: place }),
  z.strictObject({ kind: z.literal('remove'), index: place }),
]);
export type RuleEdit = z.infer<typeof RuleEdit>;

export const RuleScope = Rule.shape.scope;
export type RuleScope = z.infer<typeof RuleScope>;

/** SHA-256 of a file's text; null where there is no file. */
export const TextHash = z.string().length(64).nullable();

/** `base`: the text that the person looked at; any other is left as it is. */
export const RuleChange = z.strictObject({ scope: RuleScope, base: TextHash, edit: RuleEdit });
export type RuleChange = z.infer<typeof RuleChange>;

/** A file that may have rules of a folder. */
export const RuleFile = z.object({
  scope: RuleScope,
  file: z.string(),
  hash: TextHash,
  /** All that are written there, in order; none where the file has faults. */
  rules: z.array(Rule),
  /** Whether what it allows holds: always of the person's own, of a project's once it is trusted as it is. */
  trusted: z.boolean(),
  /** Why it cannot be changed here, as a sentence; null where it can. */
  fault: z.string().nullable(),
});
export type RuleFile = z.infer<typeof RuleFile>;

/** A rule that never decides, because another one always does before it. */
export const ShadowedRule = z.object({ id: z.string(), by: z.string() });
export type ShadowedRule = z.infer<typeof ShadowedRule>;

/**
 * What a call can do that nobody can take back: see `Action.reversible`; `outside`: it reaches beyond the folder; `starts`: it
 * starts a defined agent as a sub-agent, with whatever task; `spawns`: a temporary one, with whatever prompt and tools.
 */
export const RuleDanger = z.enum(['spawns', 'starts', 'irreversible', 'outside']);
export type RuleDanger = z.infer<typeof RuleDanger>;

/** `ruleId`: of what decided, as in a verdict. */
const Decided = z.object({ effect: Effect, ruleId: z.string() });

/** One thing that a call of the past did or wanted to do; of a batch, one for each sub-agent. */
const PastCall = z.object({
  conversationId: Id,
  workflowId: Id,
  runId: Id,
  toolCallId: ToolCallId,
  item: z.int(),
  at: Instant,
  agent: z.string(),
  tool: z.string(),
  /** What it is about, cut; untrusted text. */
  target: z.string(),
});

export const JudgedCall = PastCall.extend({
  /** By the rules as they are, and as they would be. */
  before: Decided,
  after: Decided,
  dangers: z.array(RuleDanger),
});
export type JudgedCall = z.infer<typeof JudgedCall>;

/**
 * Why nobody can tell. `arguments`: they were cut off, or are none; `tool`: it is not there now; `gone`: what it was about is
 * not there any more, or not as it was; `refused`: its tool refuses it, whatever rules say.
 */
export const UntoldCall = PastCall.extend({ why: z.enum(['arguments', 'tool', 'gone', 'refused']) });
export type UntoldCall = z.infer<typeof UntoldCall>;

export const RulePreview = z.object({
  /** Newest first, as if they were made again now where they were made, with the rules before and after the edit. */
  calls: z.array(JudgedCall),
  untold: z.array(UntoldCall),
  /** The rule that the edit is about, as it would be; null for one that is taken out, and without an edit. */
  rule: Rule.nullable(),
  /** Another rule that always decides before it. */
  shadowedBy: z.string().nullable(),
  /** What it could let through unasked, of which no call of the past needs to be an example; never `spawns` with `bothNames`. */
  dangers: z.array(RuleDanger),
  /** It is about the start of sub-agents too, and does not allow that: it does not name it. */
  startsNothing: z.boolean(),
  /** It is to let temporary sub-agents start, and matches them by one of their two names alone: the pattern that has both. */
  bothNames: z.string().nullable(),
  /** The project's file is trusted as it is, and would not be any more: what it allows ends until it is trusted again. */
  losesTrust: z.boolean(),
  /** What it allows does not hold: the project's file is not trusted as it would be. */
  untrusted: z.boolean(),
});
export type RulePreview = z.infer<typeof RulePreview>;
