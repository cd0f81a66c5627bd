/** The lead's tool for permanent agents: hand one a task, or list them. */
import { z } from 'zod';
import {
  agentTargets,
  answererFields,
  atMost,
  requireChildren,
  delegationRequest,
  PROMPT_RULE,
  promptField,
  reportResult,
  titleField,
} from './sub-agent-tools.ts';
import { defineTool } from './tool.ts';

const Input = z
  .strictObject({
    operation: z
      .enum(['delegate', 'list_agents'])
      .describe(
        'delegate runs a defined agent and waits for its report, list_agents lists them, with the schema of an agent that takes JSON and the agents that always follow it.',
      ),
    agent_id: z.string().optional().describe('Name of the agent. Required for delegate.'),
    prompt: promptField.optional().describe(`${PROMPT_RULE} Required for delegate.`),
    reason: titleField,
    ...answererFields,
  })
  .superRefine((input, context) => {
    if (input.operation !== 'delegate') return;
    for (const field of ['agent_id', 'prompt'] as const) {
      if (input[field] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'is required for delegate' });
    }
  });

export const delegateTask = defineTool<z.infer<typeof Input>>({
  name: 'delegate_task',
  describe: (
    maxSubAgents,
  ) => `Hands a task to an existing agent, with its own system prompt, model and tools, and returns its report as JSON: success, child_id, report, metrics.
${atMost(maxSubAgents)} The person approves it first.`,
  input: Input,
  permissions: [],
  sample: { input: { operation: 'delegate', prompt: '-' } },
  baseline: false,
  primaryOnly: true,
  startsAgents: 'defined',
  bounds: true,
  knownAs: ['task'],
  order: 'concurrent',
  recovery: 'continue',
  targets: async ({ operation, agent_id: name }) =>
    agentTargets(operation === 'delegate' && name !== undefined ? [name] : [], false),
  question: async (input, context) => {
    if (input.operation !== 'delegate') return null;
    return requireChildren(context).propose('delegate', context.call.toolCallId, [
      delegationRequest(input.agent_id ?? '', input.prompt ?? '', input.reason, input),
    ]);
  },
  execute: async (input, context, approval) => {
    const children = requireChildren(context);
    if (input.operation === 'list_agents') {
      return { status: 'completed', output: JSON.stringify({ success: true, agents: children.agents() }) };
    }
    const [report] = await children.run(context.call.toolCallId, approval, 'all');
    return reportResult(report);
  },
});
