/** An agent of opencode: Markdown with front matter, in `.opencode/agent`; the name of the file is its name. */
import type { AgentDefinition } from '#contract/agent.ts';
import { mcpServerOf } from '../mcp-names.ts';
import type { KnownTool } from '../vocabulary.ts';
import { type FormatResult, lostName, lostVariables, promptFor, slugFor } from './exported.ts';
import { markdown } from './markdown.ts';
import { describeModel } from './model-id.ts';
import { nameTools, type ToolNames } from './tool-names.ts';

export function exportOpencode(agent: AgentDefinition, tools: readonly KnownTool[]): FormatResult {
  const named = nameTools(agent, 'opencode', tools);
  const { id, provider } = describeModel(agent);
  const text = markdown(
    {
      description: agent.description,
      mode: agent.role === 'primary' ? 'primary' : 'subagent',
      model: id === null || provider === null ? null : `${provider}/${id}`,
      temperature: agent.temperature,
      steps: agent.maxIterations,
      permission: permissionFor(agent, named),
      disable: agent.enabled ? null : true,
    },
    promptFor(agent),
  );
  const asked = agent.requiresApproval.filter((name) => !Object.hasOwn(ASKED, name));
  return {
    file: `.opencode/agent/${slugFor(agent.name)}.md`,
    text,
    kept: [
      ...['role', 'provider', 'model', 'temperature', 'max_iterations', 'tools', 'permissions', 'enabled'],
      ...(asked.length === 0 ? ['requires_approval'] : []),
      ...(named.names === null ? [] : ['mcp_servers']),
    ],
    lost: [
      ...lostName(agent),
      ...(id !== null && provider === null
        ? [{ key: 'model', reason: `${id} needs the name of its provider: write it as provider/${id}` }]
        : []),
      ...(agent.provider !== undefined && id === null
        ? [{ key: 'provider', reason: 'opencode names a provider only with a model' }]
        : []),
      ...named.lost,
      ...(asked.length > 0 ? [{ key: 'requires_approval', reason: `not asked about: ${asked.join(', ')}` }] : []),
      ...lostVariables(agent),
    ],
  };
}

/** What asks there for a permission or a tool of Triad. */
const ASKED: Readonly<Record<string, string>> = {
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
/** Tools that only look: all others ask, as they do here. */
const READING = new Set(['read', 'list', 'glob', 'grep', 'todowrite', 'todoread']);

/** The last rule that fits counts there, so that `*` comes first. */
function permissionFor({ requiresApproval }: AgentDefinition, { names }: ToolNames): Record<string, string> | null {
  const asked = requiresApproval.flatMap((name) => (Object.hasOwn(ASKED, name) ? [ASKED[name] ?? ''] : []));
  if (names === null) return asked.length === 0 ? null : Object.fromEntries(asked.map((name) => [name, 'ask']));
  const rules = names.map((name): [string, string] => [toolName(name), READING.has(name) ? 'allow' : 'ask']);
  return Object.fromEntries([['*', 'deny'], ...rules]);
}

/** A tool of an MCP server is `SERVER_TOOL` there. */
function toolName(name: string): string {
  const server = mcpServerOf(name);
  if (server === null) return name;
  return `${server}_${name.slice(`mcp__${server}__`.length) || '*'}`;
}
