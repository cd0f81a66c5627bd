/** The lead's tool for one agent (`agent__NAME`): a task for it, as the agent's own contract says, without naming it. */
import { z } from 'zod';
import type { JsonSchema } from '#contract/flows/control-flow.ts';
import { MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { delegateTask } from '../delegate-task.ts';
import {
  agentTargets,
  atMost,
  delegationRequest,
  PROMPT_RULE,
  promptField,
  reportResult,
  requireChildren,
} from '../sub-agent-tools.ts';
import { defineTool, type Tool } from '../tool.ts';

const MARK = 'agent__';
/** Longest name of a tool that providers take, in characters. */
const MAX_TOOL_NAME = 64;
const REASON = {
  type: 'string',
  minLength: 1,
  description: '3 to 7 words that tell the person what this is for.',
};

/** An agent that leads may call by its own tool. */
export interface ExposedAgent {
  name: string;
  description: string;
  /** What it takes; null: text. */
  schema: JsonSchema | null;
  /** What of the value does not fit the schema; null where all does. */
  misfit: (value: unknown) => string | null;
}

/** Models take only some characters, and not many of them: two agents may get the same name. */
export function agentToolName(agent: string): string {
  return (MARK + agent.replaceAll(/[^A-Za-z0-9_-]/g, '_')).slice(0, MAX_TOOL_NAME);
}

export function isAgentTool(name: string): boolean {
  return name.startsWith(MARK);
}

/** As of the tool that hands any agent a task. */
const SHARED = {
  permissions: [],
  baseline: false,
  primaryOnly: true,
  startsAgents: 'named',
  bounds: true,
  like: delegateTask.name,
  order: 'concurrent',
  recovery: 'continue',
} as const;

export function agentTool(agent: ExposedAgent): Tool {
  return agent.schema === null ? textTool(agent) : jsonTool(agent, agent.schema);
}

const Text = z.strictObject({
  input: promptField.describe(PROMPT_RULE),
  reason: z.string().min(1).max(200).describe(REASON.description),
});

function textTool(agent: ExposedAgent): Tool {
  return defineTool<z.infer<typeof Text>>({
    ...faceOf<z.infer<typeof Text>>(agent, ({ input, reason }) => ({ prompt: input, reason })),
    input: Text,
  });
}

/** A value with the words for the person beside it; where the agent's own schema has a `reason`, that is both. */
function jsonTool(agent: ExposedAgent, schema: JsonSchema): Tool {
  const properties = schema['properties'];
  const ownReason = isObject(properties) && 'reason' in properties;
  const isFlat = isPlainObject(schema);
  const valueOf = ({ reason, ...input }: Record<string, unknown>): unknown =>
    isFlat ? (ownReason ? { ...input, reason } : input) : input['input'];
  const Input = z.record(z.string(), z.unknown()).superRefine((input, context) => {
    const issue = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if (!isWords(input['reason'])) issue(['reason'], 'is required: 3 to 7 words');
    const misfit = agent.misfit(valueOf(input));
    if (misfit !== null) issue([], misfit);
    else if (JSON.stringify(valueOf(input)).length > MAX_PROMPT_CHARS)
      issue([], `has more than ${MAX_PROMPT_CHARS} characters`);
  });
  return defineTool<z.infer<typeof Input>>({
    ...faceOf<z.infer<typeof Input>>(agent, (input) => ({
      prompt: JSON.stringify(valueOf(input)),
      reason: String(input['reason']),
    })),
    input: Input,
    schema: isFlat ? withReason(schema, ownReason) : wrapped(schema),
  });
}

/** The parts of a tool of one agent; `taskOf`: what of a call the agent gets, and what the person reads. */
function faceOf<Input>(agent: ExposedAgent, taskOf: (input: Input) => { prompt: string; reason: string }) {
  const { name, description } = agent;
  return {
    ...SHARED,
    name: agentToolName(name),
    describe: (maxSubAgents: number) =>
      `${description}\nHands the agent ${name} a task and returns its report as JSON: success, child_id, report, metrics. ${PROMPT_RULE}\n${atMost(maxSubAgents)} The person approves it first.`,
    targets: () => Promise.resolve(agentTargets([name], false)),
    question: (input: Input, context: Parameters<NonNullable<Tool<Input>['question']>>[1]) => {
      const { prompt, reason } = taskOf(input);
      const request = delegationRequest(name, prompt, reason);
      return requireChildren(context).propose('delegate', context.call.toolCallId, [request]);
    },
    execute: async (
      _: Input,
      context: Parameters<Tool<Input>['execute']>[1],
      approval: Parameters<Tool<Input>['execute']>[2],
    ) => {
      const [report] = await requireChildren(context).run(context.call.toolCallId, approval, 'all');
      return reportResult(report);
    },
  };
}

/**
 * For a name that an agent had when the workflow began, and that none has now: never offered, it goes on with what it has
 * started, and says of a new call which agents can be used.
 */
export function formerAgentTool(tool: string): Tool {
  const agent = { name: tool.slice(MARK.length), description: '', schema: null, misfit: () => null };
  const Any = z.record(z.string(), z.unknown());
  return defineTool<z.infer<typeof Any>>({
    ...faceOf<z.infer<typeof Any>>(agent, () => ({ prompt: '-', reason: agent.name })),
    name: tool,
    input: Any,
    missing: () => 'Its agent cannot be used any more',
  });
}

/** An object of named values, that another property can be added to: of any other shape the value stands under a name. */
function isPlainObject(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && !['allOf', 'anyOf', 'oneOf', '$ref'].some((key) => key in schema);
}

function withReason(schema: JsonSchema, ownReason: boolean): JsonSchema {
  const { $schema: _, properties, required, ...rest } = schema;
  const own = isObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  return {
    ...rest,
    properties: ownReason ? own : { ...own, reason: REASON },
    required: [...new Set([...needed, 'reason'])],
  };
}

function wrapped({ $schema: _, $defs, definitions, ...schema }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { input: schema, reason: REASON },
    required: ['input', 'reason'],
    additionalProperties: false,
    // What it points to stands where it did.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
