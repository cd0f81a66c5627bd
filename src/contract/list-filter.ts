/** What the lists of the history are filtered and sorted by. */
import { z } from 'zod';
import { AgentName, RunKind } from './agent.ts';
import { Instant } from './ids.ts';
import { Outcome, Status } from './outcome.ts';

const name = z.string().min(1).max(200).optional();

/** All given ones must match. */
const both = {
  agent: AgentName.optional(),
  status: Status.optional(),
  model: name,
  /** Asked for at or after, and before. */
  from: Instant.optional(),
  to: Instant.optional(),
  minCostUsd: z.number().nonnegative().optional(),
};

export const workflowFilter = {
  ...both,
  outcome: Outcome.optional(),
  tool: name,
  folder: z.string().min(1).max(4096).optional(),
};
export const WorkflowSort = z.enum(['newest', 'cost', 'tokens', 'duration']);
export type WorkflowSort = z.infer<typeof WorkflowSort>;

/** Of the executions of sub-agents. */
export const executionFilter = { ...both, kind: RunKind.exclude(['lead']).optional() };
export const ExecutionSort = WorkflowSort.exclude(['tokens']);
export type ExecutionSort = z.infer<typeof ExecutionSort>;
