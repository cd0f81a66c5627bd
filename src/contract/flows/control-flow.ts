/** How an agent and its coagent take turns, and what one agent hands to the next: data of definitions and envelopes. */
import { z } from 'zod';
import { MAX_FLOW_ROUNDS, MAX_PROMPT_CHARS } from '../limits.ts';

/**
 * Who ends the work: in `hitl` the agent's first whole answer; in `loop` the agent itself, by `task_complete`; in
 * `judge`, `smart` and `chat` the coagent, by `task_complete`. A judge's coagent only reads; that of the other two may work.
 */
export const ControlFlow = z.enum(['hitl', 'loop', 'judge', 'smart', 'chat']);
export type ControlFlow = z.infer<typeof ControlFlow>;

/** What the coagent is told: words as they are, words with variables, or instructions by which a model writes the words. */
export const HandoffPrompt = z.strictObject({
  type: z.enum(['static', 'template', 'generated']),
  text: z.string().min(1).max(MAX_PROMPT_CHARS),
});
export type HandoffPrompt = z.infer<typeof HandoffPrompt>;

/** The agent's turns to answer, at most: after the last of them the best answer is handed over as it is. */
export const Rounds = z.int().min(1).max(MAX_FLOW_ROUNDS);

/** A control flow as a composition's file defines it; agents are named. */
export const FlowDefinition = z.strictObject({
  type: ControlFlow,
  rounds: Rounds,
  /** The agent whose prompt, model and tools the composition has. */
  primary: z.string(),
  /** Null where the agent goes on alone (`hitl`, and `loop` without one). */
  coagent: z.string().nullable(),
  handoff: HandoffPrompt,
});
export type FlowDefinition = z.infer<typeof FlowDefinition>;

export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

/** What an agent takes as its prompt when a tool or another agent hands it over. */
export const InputContract = z.strictObject({
  format: z.enum(['text', 'json']),
  /** Set if and only if the format is `json`. */
  schema: JsonSchema.nullable(),
});
export type InputContract = z.infer<typeof InputContract>;

export const OutputContract = z.strictObject({
  format: z.enum(['text', 'markdown', 'json']),
  /** Null where any value will do. */
  schema: JsonSchema.nullable(),
});
export type OutputContract = z.infer<typeof OutputContract>;

/** What the last message of a run must be, checked before the run ends. */
export const OutputExpectation = OutputContract.extend({
  /** The agent that is started with it; left out where its own file asks for it. */
  next: z.string().optional(),
  /** Put in as `reason` before the check, where the next agent's schema wants one. */
  reason: z.string().optional(),
  /** What its own file asks for, where the next agent's contract takes that one's place. */
  declared: OutputContract.optional(),
});
export type OutputExpectation = z.infer<typeof OutputExpectation>;
