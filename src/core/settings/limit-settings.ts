/** The settings of limits: sub-agents, requests, cost, tokens and time of a run and of a workflow. */
import { z } from 'zod';
import * as limits from '#contract/limits.ts';

/** A whole number from 1 to `max`. */
export const count = (max: number) => z.int().min(1).max(max);
const minutes = (whose: string) =>
  z
    .number()
    .positive()
    .max(limits.MAX_BUDGET.minutes)
    .nullable()
    .default(null)
    .describe(
      `Minutes that ${whose} may work, without waiting for you; then it is stopped, and keeps what it has. Not set: no limit.`,
    );
/** The default of a sub-agent does not bind a lead, which may use all that its workflow may. */
const UNLESS_LEAD = ' The default does not bind the lead: the limit of its workflow does.';
const budget = (whose: string, costUsd: number, lead = '') => ({
  max_tokens: count(limits.MAX_BUDGET.tokens)
    .nullable()
    .default(null)
    .describe(`Tokens of ${whose}, all input and output. Not set: no limit.`),
  max_cost_usd: z
    .number()
    .positive()
    .max(limits.MAX_BUDGET.costUsd)
    .nullable()
    .default(costUsd)
    .describe(`Cost of ${whose} in US dollars, where the price of its models is known.${lead}`),
  max_minutes: minutes(whose),
});

export const LimitSettings = z
  .strictObject({
    max_sub_agents: count(limits.MAX_SUB_AGENTS)
      .default(limits.MAX_SUB_AGENTS)
      .describe('Sub-agents that one workflow may start.'),
    max_concurrent: count(limits.MAX_SUB_AGENTS)
      .default(limits.DEFAULT_MAX_CONCURRENT)
      .describe(
        'Sub-agents of a workflow that work at the same time; 1 runs them one after the other, in the order in which the lead asked for them.',
      ),
    child_minutes: minutes('a sub-agent').describe(
      'Minutes that a sub-agent may work, where neither its definition nor its lead says otherwise. Not set: as limits.run.max_minutes.',
    ),
    run: z
      .strictObject({
        ...budget('one agent', limits.DEFAULT_RUN_LIMITS.costUsd, UNLESS_LEAD),
        max_iterations: count(limits.MAX_ITERATIONS)
          .default(limits.DEFAULT_RUN_LIMITS.iterations)
          .describe(`Model requests of one agent, where its definition says nothing else.${UNLESS_LEAD}`),
      })
      .prefault({}),
    workflow: z
      .strictObject({
        ...budget('a whole workflow, with all of its sub-agents', limits.DEFAULT_WORKFLOW_LIMITS.costUsd),
        max_iterations: count(limits.MAX_BUDGET.iterations)
          .nullable()
          .default(limits.DEFAULT_WORKFLOW_LIMITS.iterations)
          .describe('Model requests of a whole workflow, with all of its sub-agents.'),
      })
      .prefault({}),
    max_iterations_ceiling: count(limits.MAX_ITERATIONS)
      .default(limits.MAX_ITERATIONS)
      .describe(
        'Most model requests of any agent, whatever its definition, its lead or limits.run.max_iterations says. The history names what was cut.',
      ),
    doom_loop_threshold: z
      .int()
      .min(limits.MIN_DOOM_LOOP_THRESHOLD)
      .max(limits.MAX_DOOM_LOOP_THRESHOLD)
      .default(limits.DOOM_LOOP_THRESHOLD)
      .describe(
        'Identical calls in a row after which an agent gets a warning; after as many again it ends. Its definition can set another number.',
      ),
    unattended_wait_minutes: z
      .number()
      .min(0)
      .max(limits.MAX_BUDGET.minutes)
      .default(limits.UNATTENDED_WAIT_MINUTES)
      .describe(
        'Minutes that work waits for a provider that does not answer, while no client is attached. Then it is interrupted, and can be resumed. With a client it waits until you stop it.',
      ),
    inactivity_seconds: count(86_400)
      .default(limits.INACTIVITY_MS / 1000)
      .describe('Seconds of silence after which a model request is sent again, at most twice, or an agent is stopped.'),
    approval_seconds: count(86_400)
      .default(limits.APPROVAL_TIMEOUT_MS / 1000)
      .describe('Seconds that a question waits for an answer; then the answer is no.'),
  })
  .prefault({});
