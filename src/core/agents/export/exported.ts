/** An agent in the format of another program, with what that format cannot express. */
import type { AgentDefinition } from '#contract/agent.ts';
import { rendered, variablesIn } from '../variables.ts';

export const EXPORT_FORMATS = ['claude', 'opencode', 'codex', 'goose'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A key of the definition that the other format does not have, or has in part. */
export interface LostKey {
  key: string;
  reason: string;
}

export interface ExportedAgent {
  format: ExportFormat;
  /** Where the other program looks for such a file, from the workspace. */
  file: string;
  text: string;
  lost: LostKey[];
}

/** What one format makes of a definition: `kept` are the keys that it expresses; `lost` explains others. */
export interface FormatResult {
  file: string;
  text: string;
  kept: readonly string[];
  lost: LostKey[];
}

/** The keys that a definition has beside its name, its description and its prompt. */
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

/** The system prompt with the agent's own name in it, and `\{{name}}` as the text that it stands for. */
export function promptFor({ name, systemPrompt }: AgentDefinition): string {
  return rendered(systemPrompt, { agent: name });
}

/** Variables that only Triad replaces. */
export function lostVariables({ systemPrompt }: AgentDefinition): LostKey[] {
  const names = new Set(variablesIn(systemPrompt).filter((name) => name !== 'agent'));
  return [...names].map((name) => ({
    key: 'prompt',
    reason: `{{${name}}} stays as written: only Triad replaces it`,
  }));
}

/** For programs that have MCP servers in their own configuration. */
export function lostServers({ mcpServers }: AgentDefinition): LostKey[] {
  if (mcpServers === null) return [];
  return [{ key: 'mcp_servers', reason: `set these servers up there: ${mcpServers.join(', ') || 'none'}` }];
}

/** A name as file names and other programs take it: lower-case letters, digits and hyphens. */
export function slugFor(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'agent' : slug;
}

export function lostName({ name }: AgentDefinition): LostKey[] {
  const slug = slugFor(name);
  return slug === name ? [] : [{ key: 'name', reason: `it becomes ${slug}: lower-case letters, digits and hyphens` }];
}
