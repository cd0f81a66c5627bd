/** The settings of one agent as pairs of key and value. Pure. */
import type { AgentDefinition, AgentSummary } from '#contract/agent.ts';
import { oneLine } from '../terminal/visible.ts';

/** In the words of the file's keys, with what holds where one is left out. */
export function agentFacts(agent: AgentDefinition, needs: AgentSummary['needs']): [string, string][] {
  const list = (names: readonly string[] | null, left: string) => names?.join(', ') ?? left;
  const or = (value: string | number | null, left: string) => String(value ?? left);
  const { approvalTimeoutMs: timeout } = agent;
  return [
    ['name', agent.name],
    ['description', oneLine(agent.description)],
    ['role', agent.role],
    ['provider', or(agent.provider ?? null, agent.role === 'primary' ? 'the active one' : "the lead's")],
    ['model', or(agent.model, agent.role === 'primary' ? 'the default' : "the lead's")],
    ['effort', or(agent.effort, 'not set')],
    ['max_tokens', or(agent.maxTokens, 'by default')],
    ['temperature', or(agent.temperature, 'not set')],
    ['max_iterations', or(agent.maxIterations, 'by the settings')],
    ['doom_loop_threshold', or(agent.doomLoopThreshold, 'by the settings')],
    ['max_minutes', or(agent.maxMinutes, 'by the settings')],
    ['tools', list(agent.tools, agent.role === 'primary' ? 'all' : "all of the lead's")],
    ['mcp_servers', list(agent.mcpServers, agent.tools === null ? "all of the lead's" : 'those of its tools')],
    ['permissions', list(agent.permissions, needs === null ? "the lead's" : `${needs.join(', ')} (of its tools)`)],
    ['requires_approval', list(agent.requiresApproval, '') || 'nothing more than the rules'],
    ['approval_timeout', timeout === null ? 'by the settings' : `${timeout / 1000} s`],
    ['enable_reflection', agent.reflection ? 'yes' : 'no'],
    ...reflectionFacts(agent.reflection),
    ...contractFacts(agent),
    ['enabled', agent.enabled ? 'yes' : 'no'],
    ['source', agent.source],
    ['file', agent.sourcePath ?? 'none'],
    ...Object.entries(agent.extra ?? {}).map(([key, value]): [string, string] => [key, oneLine(asText(value))]),
  ];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What is not said changes nothing, and is left out. */
function contractFacts({ input, output, exposeAsTool, projectInstructions }: AgentDefinition): [string, string][] {
  const facts: [string, string | undefined][] = [
    ['input_format', input?.format],
    ['output_format', output?.format],
    ['expose_as_tool', exposeAsTool && 'yes'],
    ['project_instructions', projectInstructions && 'yes'],
  ];
  return facts.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
}

function reflectionFacts(reflection: AgentDefinition['reflection']): [string, string][] {
  if (!reflection) return [];
  return [
    ['max_retries', String(reflection.maxRetries)],
    ['reflection_criteria', reflection.criteria === null ? 'the task' : oneLine(reflection.criteria)],
  ];
}
