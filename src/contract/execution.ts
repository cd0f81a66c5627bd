/** The outward record of a sub-agent's run, one for core, store and clients: its fields are the columns of its table. */
import { z } from 'zod';
import { RunKind } from './agent.ts';
import { Id, Instant } from './ids.ts';
import { Outcome, Status } from './outcome.ts';

/** What is not known (yet) is left out: times, tokens, cost and report until it has ended. */
export const SubAgentExecution = z.object({
  /** As `sub_agent_id`. */
  id: Id,
  workflow_id: Id,
  /** The run that started it. */
  parent_agent_id: Id,
  /** Its own run. */
  sub_agent_id: Id,
  sub_agent_name: z.string(),
  /** The beginning of its prompt, up to `MAX_TASK_CHARS`. */
  task_description: z.string(),
  status: Status,
  outcome: Outcome.optional(),
  kind: RunKind.optional(),
  /** That it was approved with. */
  model: z.string().optional(),
  /** Time in which it worked. */
  duration_ms: z.int().optional(),
  /** All classes of input, over all attempts. */
  tokens_input: z.int().optional(),
  tokens_output: z.int().optional(),
  /** The part of both that nobody counted; left out where there is none. */
  tokens_estimated: z.int().optional(),
  /** Billionths of a US dollar; left out where any price is not known. */
  nano_usd: z.int().optional(),
  /** The first characters of its report's Summary section. */
  result_summary: z.string().optional(),
  error_message: z.string().optional(),
  /** When it was asked for. */
  created_at: Instant,
  completed_at: Instant.optional(),
  envelope_hash: z.string().optional(),
  trace_id: z.string().optional(),
  parent_chain: z.array(z.string()).optional(),
  parent_execution_id: z.string().optional(),
  chain_trigger: z.string().optional(),
  chain_index: z.int().optional(),
});
export type SubAgentExecution = z.infer<typeof SubAgentExecution>;

/** As a list tells of it; what is not known (yet) is left out. */
export const ListedExecution = SubAgentExecution.extend({
  /** Of `duration_ms`: how long it worked, and how long it waited for answers of the person. */
  worked_ms: z.int().optional(),
  waited_ms: z.int().optional(),
  /** Of a stage or a coagent: the agent that it follows or works for, its stage or round, and how many there are at most. */
  serves: z.string().optional(),
  place: z.int().optional(),
  places: z.int().optional(),
});
export type ListedExecution = z.infer<typeof ListedExecution>;
