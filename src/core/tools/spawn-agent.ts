/** The lead's tool for temporary sub-agents: start one, list those that work, end one. */
import { z } from 'zod';
import { AgentName, Effort, Permission } from '#contract/agent.ts';
import { MAX_BUDGET } from '#contract/limits.ts';
import {
  agentTargets,
  answererFields,
  atMost,
  requireChildren,
  PROMPT_RULE,
  promptField,
  reportResult,
  titleField,
} from './sub-agent-tools.ts';
import type { ChildReport } from './children.ts';
import { defineTool, type ToolResult } from './tool.ts';

const Input = z
  .strictObject({
    operation: z
      .enum(['spawn', 'list_children', 'terminate'])
      .describe('spawn starts a sub-agent, list_children lists the running ones, terminate ends one.'),
    name: AgentName.optional().describe('A short name, such as "log-reader". Required for spawn.'),
    prompt: promptField.optional().describe(`${PROMPT_RULE} Required for spawn.`),
    reason: titleField,
    agent: z.string().optional().describe('A defined agent to base this one on.'),
    system_prompt: z.string().min(1).optional().describe('Default: a general one for a single task.'),
    tools: z
      .array(z.string())
      .optional()
      .describe('A subset of your tools. Default: all of yours except those that start agents.'),
    permissions: z
      .array(Permission)
      .optional()
      .describe('A subset of your permissions. Reading and searching are always included.'),
    mcp_servers: z
      .array(z.string())
      .optional()
      .describe('A subset of your MCP servers. Default: those of the named tools, else all of yours.'),
    provider: answererFields.provider,
    model: answererFields.model,
    effort: Effort.optional(),
    sees_reports: z
      .boolean()
      .optional()
      .describe('Lets it search the finished reports of this workflow. Default: false.'),
    max_minutes: z
      .number()
      .positive()
      .max(MAX_BUDGET.minutes)
      .optional()
      .describe('Working time limit in minutes. Default: the setting.'),
    background: z
      .boolean()
      .optional()
      .describe('Return the child_id at once; the report is sent to you later. Default: wait for the report.'),
    child_id: z.string().optional().describe('Required for terminate.'),
  })
  .superRefine((input, context) => {
    const need = (field: 'name' | 'prompt' | 'child_id'): void => {
      if (input[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: `is required for ${input.operation}` });
    };
    if (input.operation === 'spawn') {
      need('name');
      need('prompt');
    }
    if (input.operation === 'terminate') need('child_id');
  });

export const spawnAgent = defineTool<z.infer<typeof Input>>({
  name: 'spawn_agent',
  describe: (
    maxSubAgents,
  ) => `Starts a temporary sub-agent for one task and returns its report as JSON: success, child_id, report, metrics.
${atMost(maxSubAgents)} The person approves each one first, and may change or reject it. Sub-agents cannot start others. Several calls in one response run at the same time.`,
  input: Input,
  permissions: [],
  sample: { input: { operation: 'spawn', prompt: '-' } },
  baseline: false,
  primaryOnly: true,
  startsAgents: 'temporary',
  bounds: true,
  order: 'concurrent',
  recovery: 'continue',
  targets: async ({ operation, name }) => agentTargets(operation === 'spawn' && name !== undefined ? [name] : [], true),
  question: async (input, context) => {
    if (input.operation !== 'spawn') return null;
    const request = {
      agent: input.agent ?? null,
      name: input.name ?? null,
      title: input.reason ?? input.name ?? '',
      prompt: input.prompt ?? '',
      systemPrompt: input.system_prompt ?? null,
      tools: input.tools ?? null,
      permissions: input.permissions ?? null,
      mcpServers: input.mcp_servers ?? null,
      provider: input.provider ?? null,
      model: input.model ?? null,
      effort: input.effort ?? null,
      seesReports: input.sees_reports ?? false,
      maxMinutes: input.max_minutes ?? null,
    };
    return requireChildren(context).propose('spawn', context.call.toolCallId, [request], input.background);
  },
  execute: async (input, context, approval) => {
    const children = requireChildren(context);
    if (input.operation === 'list_children') {
      const list = children
        .list()
        .map(({ runId, agent, title, status }) => ({ child_id: runId, name: agent, title, status }));
      return { status: 'completed', output: JSON.stringify({ success: true, children: list }) };
    }
    if (input.operation === 'terminate') {
      const { left, ...ended } = await children.terminate(input.child_id ?? '');
      return {
        status: left === 0 ? 'completed' : 'error',
        output: JSON.stringify({ success: left === 0, child_id: input.child_id, ended }),
      };
    }
    const [report] = await children.run(context.call.toolCallId, approval, input.background ? 'none' : 'all');
    return report?.outcome === null ? startedResult(report) : reportResult(report);
  },
});

/** Its report follows by itself: the run is named in the result, so that it is not forgotten after a crash. */
function startedResult({ runId, status, edits }: ChildReport): ToolResult {
  const output = {
    success: true,
    child_id: runId,
    status,
    background: true,
    message: 'It works in the background. Its report is handed to you when it has ended: go on, and do not ask for it.',
    ...(edits ? { changed_by_person: edits } : {}),
  };
  return { status: 'completed', output: JSON.stringify(output), metadata: { background: [runId] } };
}
