/** The lead's tool for temporary sub-agents: start one, list those that work, end one. */
import { z } from 'zod';
import { AgentName, Effort, Permission } from '#contract/agent.ts';
import { MAX_BUDGET } from '#contract/limits.ts';
import {
  agentTargets,
  atMost,
  requireChildren,
  PROMPT_RULE,
  promptField,
  reportResult,
  titleField,
  usableAgents,
} from './sub-agent-tools.ts';
import type { ChildReport } from './children.ts';
import { defineTool, type ToolResult } from './tool.ts';

const Input = z
  .strictObject({
    operation: z
      .enum(['spawn', 'list_children', 'terminate'])
      .describe(
        'spawn: start a sub-agent and wait for its report, or not (background). list_children: those that work now. terminate: end one of them.',
      ),
    name: AgentName.optional().describe(
      'spawn: a short name for the sub-agent, such as "log-reader". Required for spawn.',
    ),
    prompt: promptField.optional().describe(`spawn: ${PROMPT_RULE} Required for spawn.`),
    reason: titleField,
    agent: z.string().optional().describe('spawn: name of a defined agent to base this one on.'),
    system_prompt: z
      .string()
      .min(1)
      .optional()
      .describe('spawn: its system prompt; left out, a general one for a single task.'),
    tools: z
      .array(z.string())
      .optional()
      .describe(
        'spawn: names of the tools that it gets, some of yours; left out, all of yours but those that start agents.',
      ),
    permissions: z
      .array(Permission)
      .optional()
      .describe('spawn: what its tools may need at most, some of your permissions; reading and searching always stay.'),
    mcp_servers: z
      .array(z.string())
      .optional()
      .describe(
        'spawn: names of MCP servers, some of yours, whose tools it gets. Left out: those of the tools that you name, or with none named all of yours.',
      ),
    provider: z.string().optional().describe('spawn: the model provider; left out, that of the agent, or yours.'),
    model: z
      .string()
      .optional()
      .describe('spawn: an alias (sonnet, haiku, opus) or a model id; left out, that of the agent, or yours.'),
    effort: Effort.optional().describe('spawn: how much the model should think.'),
    sees_reports: z
      .boolean()
      .optional()
      .describe(
        'spawn: true lets it search the reports of your sub-agents that have ended in this workflow; left out, it sees none.',
      ),
    max_minutes: z
      .number()
      .positive()
      .max(MAX_BUDGET.minutes)
      .optional()
      .describe(
        'spawn: minutes that it may work, without waiting for the person; then it is stopped and reports what it has. Left out, as the person has set.',
      ),
    background: z
      .boolean()
      .optional()
      .describe(
        'spawn: true: answer with the child_id as soon as the person has approved it, and go on; its report is handed to you later, by itself, before you can finish. Left out: wait for the report.',
      ),
    child_id: z.string().optional().describe('terminate: the id of the sub-agent. Required for terminate.'),
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
    agents,
    maxSubAgents,
  ) => `Starts a temporary sub-agent for one task and returns its report as JSON: success, child_id, report, metrics.
${PROMPT_RULE}
${atMost(maxSubAgents)} The person approves each of them first and may change or refuse it. Sub-agents cannot start others.
Several spawn_agent calls in one response run at the same time. ${usableAgents(agents)}`,
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
    return requireChildren(context).propose('spawn', context.toolCallId, [request], input.background);
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
    const [report] = await children.run(context.toolCallId, approval, input.background ? 'none' : 'all');
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
