/** The lead's tool for batches: up to three existing agents at the same time, one aggregated report. */
import { z } from 'zod';
import { MAX_SUB_AGENTS } from '#contract/limits.ts';
import type { ChildReport } from './children.ts';
import {
  agentTargets,
  answererFields,
  atMost,
  chainFields,
  metricsOf,
  personFields,
  requireChildren,
  delegationRequest,
  PROMPT_RULE,
  promptField,
  titleField,
} from './sub-agent-tools.ts';
import { defineTool, type ToolResult } from './tool.ts';

const inputFor = (maxTasks: number) =>
  z.strictObject({
    operation: z.enum(['execute_batch']),
    tasks: z
      .array(
        z.strictObject({
          agent_id: z.string().min(1).describe('Name of the agent.'),
          prompt: promptField.describe(PROMPT_RULE),
          reason: titleField,
          ...answererFields,
        }),
      )
      .min(1)
      .max(maxTasks)
      .describe(maxTasks === 1 ? 'One task.' : `One to ${maxTasks} tasks; several may use the same agent.`),
    wait_all: z
      .boolean()
      .default(true)
      .describe('false: return after the first report; the others are sent to you later.'),
  });

/** A call that asks for more than a lowered number is refused with the count of its workflow. */
const Input = inputFor(MAX_SUB_AGENTS);

export const parallelTasks = defineTool<z.infer<typeof Input>>({
  name: 'parallel_tasks',
  describe: (
    maxSubAgents,
  ) => `Runs existing agents at the same time and returns JSON: success, completed, failed, results in the order of the tasks, aggregated_report. A failed one does not stop the others.
${atMost(maxSubAgents)} The person approves each task.`,
  input: Input,
  inputFor,
  permissions: [],
  baseline: false,
  primaryOnly: true,
  startsAgents: 'defined',
  bounds: true,
  order: 'concurrent',
  recovery: 'continue',
  targets: async ({ tasks }) =>
    agentTargets(
      tasks.map((task) => task.agent_id),
      false,
    ),
  question: (input, context) =>
    requireChildren(context).propose(
      'parallel',
      context.call.toolCallId,
      input.tasks.map((task) => delegationRequest(task.agent_id, task.prompt, task.reason, task)),
    ),
  execute: async (input, context, approval) => {
    const wait = input.wait_all ? 'all' : 'first';
    return batchResult(await requireChildren(context).run(context.call.toolCallId, approval, wait));
  },
});

/** Partial failure is reported, not thrown; what still runs counts as neither completed nor failed. */
function batchResult(reports: readonly ChildReport[]): ToolResult {
  const running = reports.filter((report) => report.outcome === null);
  const completed = reports.filter((report) => report.outcome === 'completed');
  const failed = reports.length - completed.length - running.length;
  const results = reports.map((report) => ({
    agent_id: report.agent,
    child_id: report.runId,
    success: report.outcome === 'completed',
    outcome: report.outcome ?? 'running',
    report: report.report,
    error: report.error,
    ...personFields(report),
    ...chainFields(report),
    ...(report.reviews && { reviews: report.reviews }),
    metrics: metricsOf(report),
  }));
  const sections = reports.map(
    (report, index) =>
      `## ${index + 1}. ${report.agent}: ${report.outcome ?? 'still running'}\n\n${report.report || report.error || 'Its report follows when it has ended.'}`,
  );
  const output = {
    success: failed === 0,
    completed: completed.length,
    failed,
    running: running.length,
    results,
    aggregated_report: sections.join('\n\n'),
  };
  return {
    status: completed.length + running.length === 0 ? 'error' : 'completed',
    output: JSON.stringify(output),
    metadata: running.length > 0 ? { background: running.map((report) => report.runId) } : {},
  };
}
