/** Names of tools of MCP servers, `mcp__SERVER__TOOL`, and what stands for several of them. */
import { McpServerName } from '#contract/agent.ts';
import { hash } from 'node:crypto';
import { matches } from '../base/pattern.ts';

const MARK = 'mcp__';
/** Longest name of a tool that providers take, in characters. */
const MAX_TOOL_NAME = 64;

/** The name of a server's tool for models, which take only some characters, and not many of them. */
export function mcpToolName(server: string, tool: string): string {
  const name = `${MARK}${server}__${tool}`;
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === name && name.length <= MAX_TOOL_NAME) return name;
  const mark = `_${hash('sha256', name, 'hex').slice(0, 8)}`;
  return plain.slice(0, MAX_TOOL_NAME - mark.length) + mark;
}

/** The server that a name is about (`mcp__SERVER`, with `__*` or a tool behind it); null for a name of any other kind. */
export function mcpServerOf(name: string): string | null {
  if (!name.startsWith(MARK)) return null;
  const [server = ''] = name.slice(MARK.length).split('__');
  return McpServerName.safeParse(server).success ? server : null;
}

/** The names with those that stand for several replaced by what they stand for among the available ones; one that stands for none stays. */
export function withMcpTools(names: readonly string[], available: readonly string[]): string[] {
  const found = names.flatMap((name) => {
    const server = mcpServerOf(name);
    if (server === null) return [name];
    const pattern = name === MARK + server ? `${name}__*` : name;
    const meant = available.filter((one) => matches(pattern, one, { path: false, loose: false }));
    return meant.length > 0 ? meant : [name];
  });
  return [...new Set(found)];
}
