/** What a definition names of MCP servers, held against those that are there: what is missing is a warning, as it may come. */
import type { Fault } from '#contract/agent.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import { nearest } from '../base/nearest.ts';
import { fault } from './entries.ts';
import type { UnlinkedFile } from './load.ts';
import { withMcpTools } from './mcp-names.ts';
import type { ServerMention } from './server-names.ts';

/** The servers of a folder by name. */
export type KnownServers = ReadonlyMap<string, KnownServer>;
interface KnownServer {
  /** Whether it may be started. */
  isUsable: boolean;
  /** `mcp__SERVER__TOOL` of those that it offers; null where it was never asked. */
  tools: readonly string[] | null;
}

/** With a warning for each that is not there. */
export function checkServers<T extends UnlinkedFile>(file: T, known: KnownServers): T {
  if (!file.ok || 'composition' in file) return file;
  const left = file.definition.lenient ? [phrase('mention_left_out')] : [];
  const found = file.mentions.flatMap((mention) => {
    const missing = missingOf(mention, known);
    if (missing === null) return [];
    const { key, item, at, server, tool } = mention;
    const about = phrase('named', { key, item, name: tool ?? server });
    return [fault(at, [about, missing.why, ...left], { key, suggestion: missing.suggestion })];
  });
  return found.length === 0 ? file : { ...file, warnings: [...file.warnings, ...found] };
}

function missingOf(
  { server, tool }: ServerMention,
  known: KnownServers,
): ({ why: Phrase } & Pick<Fault, 'suggestion'>) | null {
  const found = known.get(server);
  if (found === undefined) {
    const near = nearest(server, [...known.keys()]);
    const suggestion = near === null || tool === null ? near : tool.replace(server, near);
    return { why: phrase('no_server', { server }), suggestion };
  }
  if (!found.isUsable) return { why: phrase('server_unused', { server }), suggestion: null };
  // All of a server, whatever that is.
  if (tool === null || tool === `mcp__${server}` || tool === `mcp__${server}__*`) return null;
  if (found.tools === null) return { why: phrase('server_unasked', { server }), suggestion: null };
  if (withMcpTools([tool], found.tools).some((one) => found.tools?.includes(one))) return null;
  return { why: phrase('no_server_tool', { server }), suggestion: nearest(tool, found.tools) };
}
