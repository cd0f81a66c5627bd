/** An agent in the format of another program, with what that format cannot express. */
import type { AgentDefinition } from '#contract/agent.ts';
import { rendered, variablesIn } from '../variables.ts';

export const EXPORT_FORMATS = ['claude', 'opencode', 'codex', 'goose'] as const;
export type AgentExportFormat = (typeof EXPORT_FORMATS)[number];

/** A key that the other format does not express, or only in part. */
export interface LostKey {
  key: string;
  reason: string;
}

export interface ExportedAgent {
  format: AgentExportFormat;
  /** Path of the file in the other program, from the workspace. */
  file: string;
  text: string;
  lost: LostKey[];
}

/** A definition in one format. `expressedKeys`: keys that the format has. `lost`: keys with a reason of their own. */
export interface FormattedAgent {
  file: string;
  text: string;
  expressedKeys: readonly string[];
  lost: LostKey[];
}

/** Returns the keys of a definition, except its name, its description and its prompt. */
export function listKeys(agent: AgentDefinition): string[] {
  const { input, output, reflection, flow, extra = {} } = agent;
  const keys: [string, boolean][] = [
    ['role', agent.role === 'primary'],
    ['provider', agent.provider !== undefined],
    ['model', agent.model !== null],
    ['effort', agent.effort !== null],
    ['max_tokens', agent.maxTokens !== null],
    ['temperature', agent.temperature !== null],
    ['max_iterations', agent.maxIterations !== null],
    ['doom_loop_threshold', agent.doomLoopThreshold !== null],
    ['max_minutes', agent.maxMinutes !== null],
    ['tools', agent.tools !== null],
    ['mcp_servers', agent.mcpServers !== null],
    ['permissions', agent.permissions !== null],
    ['requires_approval', agent.requiresApproval.length > 0],
    ['approval_timeout', agent.approvalTimeoutMs !== null],
    ['enable_reflection', reflection !== null],
    ['coagent', flow?.coagent !== undefined],
    ['control_flow', flow !== undefined],
    ['next', agent.next !== undefined],
    ['input_format', input !== undefined],
    ['output_format', output !== undefined],
    ['expose_as_tool', agent.exposeAsTool === true],
    ['project_instructions', agent.projectInstructions === true],
    ['enabled', !agent.enabled],
  ];
  return [...keys.flatMap(([key, isThere]) => (isThere ? [key] : [])), ...Object.keys(extra)];
}

/** Returns the system prompt with the name of the agent, and with escaped variables unescaped. */
export function renderPrompt({ name, systemPrompt }: AgentDefinition): string {
  return rendered(systemPrompt, { agent: name });
}

/** Returns the variables that only Triad replaces. */
export function findLostVariables({ systemPrompt }: AgentDefinition): LostKey[] {
  const names = new Set(variablesIn(systemPrompt).filter((name) => name !== 'agent'));
  return [...names].map((name) => ({
    key: 'prompt',
    reason: `{{${name}}} stays as written: only Triad replaces it`,
  }));
}

/** Returns the MCP servers, for a program that has them in its own configuration. */
export function findLostServers({ mcpServers }: AgentDefinition): LostKey[] {
  if (mcpServers === null) return [];
  return [{ key: 'mcp_servers', reason: `set these servers up there: ${mcpServers.join(', ') || 'none'}` }];
}

/** Returns a name of lower-case letters, digits and hyphens, for files and other programs. */
export function createSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'agent' : slug;
}

export function findLostName({ name }: AgentDefinition): LostKey[] {
  const slug = createSlug(name);
  return slug === name ? [] : [{ key: 'name', reason: `it becomes ${slug}: lower-case letters, digits and hyphens` }];
}
