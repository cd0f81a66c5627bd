/** An agent of opencode: Markdown with front matter, in `.opencode/agent`; the name of the file is its name. */
import type { AgentDefinition } from '#contract/agent.ts';
import { mcpServerOf } from '../mcp-names.ts';
import type { KnownTool } from '../vocabulary.ts';
import { type FormattedAgent, findLostName, findLostVariables, renderPrompt, createSlug } from './exported.ts';
import { formatMarkdown } from './markdown.ts';
import { describeModel } from './model-id.ts';
import { nameTools, type ToolNames } from './tool-names.ts';

export function exportOpencode(agent: AgentDefinition, tools: readonly KnownTool[]): FormattedAgent {
  const toolNames = nameTools(agent, 'opencode', tools);
  const { id, provider } = describeModel(agent);
  const text = formatMarkdown(
    {
      description: agent.description,
      mode: agent.role === 'primary' ? 'primary' : 'subagent',
      model: id === null || provider === null ? null : `${provider}/${id}`,
      temperature: agent.temperature,
      steps: agent.maxIterations,
      permission: createPermissions(agent, toolNames),
      disable: agent.enabled ? null : true,
    },
    renderPrompt(agent),
  );
  const otherApprovals = agent.requiresApproval.filter((name) => !Object.hasOwn(APPROVAL_NAMES, name));
  return {
    file: `.opencode/agent/${createSlug(agent.name)}.md`,
    text,
    expressedKeys: [
      ...['role', 'provider', 'model', 'temperature', 'max_iterations', 'tools', 'permissions', 'enabled'],
      ...(otherApprovals.length === 0 ? ['requires_approval'] : []),
      ...(toolNames.names === null ? [] : ['mcp_servers']),
    ],
    lost: [
      ...findLostName(agent),
      ...(id !== null && provider === null
        ? [{ key: 'model', reason: `${id} needs the name of its provider: write it as provider/${id}` }]
        : []),
      ...(agent.provider !== undefined && id === null
        ? [{ key: 'provider', reason: 'opencode names a provider only with a model' }]
        : []),
      ...toolNames.lost,
      ...(otherApprovals.length > 0
        ? [{ key: 'requires_approval', reason: `not asked about: ${otherApprovals.join(', ')}` }]
        : []),
      ...findLostVariables(agent),
    ],
  };
}

/** The permission of opencode for each permission or tool of Triad that requires approval. */
const APPROVAL_NAMES: Readonly<Record<string, string>> = {
  FilesystemWrite: 'edit',
  write_file: 'edit',
  edit_file: 'edit',
  Execute: 'bash',
  bash: 'bash',
  bash_online: 'bash',
  NetworkAccess: 'webfetch',
  web_fetch: 'webfetch',
  web_search: 'websearch',
};
/** Tools of opencode without side effects: all others ask. */
const READ_ONLY_TOOLS = new Set(['read', 'list', 'glob', 'grep', 'todowrite', 'todoread']);

/** In opencode the last rule that fits counts, so `*` is the first one. */
function createPermissions({ requiresApproval }: AgentDefinition, { names }: ToolNames): Record<string, string> | null {
  const approvals = requiresApproval.flatMap((name) =>
    Object.hasOwn(APPROVAL_NAMES, name) ? [APPROVAL_NAMES[name] ?? ''] : [],
  );
  if (names === null) return approvals.length === 0 ? null : Object.fromEntries(approvals.map((name) => [name, 'ask']));
  const rules = names.map((name): [string, string] => [
    formatToolName(name),
    READ_ONLY_TOOLS.has(name) ? 'allow' : 'ask',
  ]);
  return Object.fromEntries([['*', 'deny'], ...rules]);
}

/** Formats the tool of an MCP server as `SERVER_TOOL`. */
function formatToolName(name: string): string {
  const server = mcpServerOf(name);
  if (server === null) return name;
  return `${server}_${name.slice(`mcp__${server}__`.length) || '*'}`;
}
