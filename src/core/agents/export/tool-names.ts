/** The names that other programs have for Triad's tools. Nothing is widened: a tool without a counterpart is left out. */
import type { AgentDefinition } from '#contract/agent.ts';
import { mcpServerOf } from '../mcp-names.ts';
import { isWithinPermissions, type KnownTool } from '../vocabulary.ts';
import type { LostKey } from './exported.ts';

/** Several of Triad's tools may have one counterpart. */
const CLAUDE: Readonly<Record<string, string>> = {
  read_file: 'Read',
  list_directory: 'Glob',
  glob: 'Glob',
  grep: 'Grep',
  write_file: 'Write',
  edit_file: 'Edit',
  bash: 'Bash',
  bash_online: 'Bash',
  web_fetch: 'WebFetch',
  web_search: 'WebSearch',
  todo_write: 'TodoWrite',
};
const OPENCODE: Readonly<Record<string, string>> = {
  read_file: 'read',
  list_directory: 'list',
  glob: 'glob',
  grep: 'grep',
  write_file: 'edit',
  edit_file: 'edit',
  bash: 'bash',
  bash_online: 'bash',
  web_fetch: 'webfetch',
  web_search: 'websearch',
  todo_write: 'todowrite',
  todo_read: 'todoread',
};
const TABLES = { claude: CLAUDE, opencode: OPENCODE } as const;

export interface ToolNames {
  /** Null for an agent whose tools are not limited. All tools of an MCP server are `mcp__SERVER`. */
  names: string[] | null;
  lost: LostKey[];
}

/** The tools that an agent may use, within its permissions. */
export function nameTools(agent: AgentDefinition, format: keyof typeof TABLES, tools: readonly KnownTool[]): ToolNames {
  const { tools: listed, permissions } = agent;
  if (listed === null && permissions === null) return { names: null, lost: [] };
  const usable = tools.filter((tool) => {
    const isListed = listed === null ? tool.primaryOnly !== true : tool.baseline || listed.includes(tool.name);
    return isListed && isWithinPermissions(tool, permissions);
  });
  const table = TABLES[format];
  const names = usable.flatMap(({ name }) => (Object.hasOwn(table, name) ? [table[name] ?? ''] : []));
  const serverTools = (listed ?? []).filter((name) => mcpServerOf(name) !== null);
  const servers = (agent.mcpServers ?? []).map((server) => `mcp__${server}`);
  const unmappedTools = (listed ?? []).filter((name) => !Object.hasOwn(table, name) && mcpServerOf(name) === null);
  const lost =
    unmappedTools.length === 0 ? [] : [{ key: 'tools', reason: `no counterpart: ${unmappedTools.join(', ')}` }];
  const isOnline = usable.some(({ name }) => name === 'bash');
  const online = { key: 'tools', reason: 'commands have no separate permission for the network there' };
  return {
    names: [...new Set([...names, ...servers, ...serverTools])],
    lost: [...lost, ...(isOnline ? [online] : [])],
  };
}
