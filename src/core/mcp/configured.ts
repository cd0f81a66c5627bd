/** The MCP servers of a folder as they are written: the person's own, then a project's, whose file must be trusted. */
import { join } from 'node:path';
import type { Permission } from '#contract/agent.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash, sha256 } from '../base/hash.ts';
import { matches } from '../base/pattern.ts';
import { isMissing, readRegularFile } from '../base/regular-file.ts';
import { MCP_PERMISSIONS, type McpEntry, type McpLaunch } from '#contract/mcp/mcp-entry.ts';
import type { Trust } from '../agents/trust.ts';
import { serverWords } from './server-words.ts';
import { launchWords, MCP_JSON, readMcpJson } from '../settings/mcp-json.ts';
import type { Settings } from '../settings/settings.ts';

export interface ConfiguredServer {
  readonly name: string;
  /** `client`: passed with one conversation. */
  readonly source: 'user' | 'project' | 'client';
  /** The id under which a client passes it, until it goes. */
  readonly lending?: string;
  readonly file: string;
  /** Only a `usable` one is ever started; `overridden`: the person has one of the same name. */
  readonly state: 'usable' | 'disabled' | 'untrusted' | 'faulty' | 'overridden';
  /** What is wrong with it; null where it is not faulty. */
  readonly fault: string | null;
  readonly launch: McpLaunch;
  /** Its command with all arguments, or its address, as written. */
  readonly runs: string;
  /** SHA-256 in hex of what it is started with, as written: without the values of secrets. */
  readonly config: string;
  readonly sampling: boolean;
  readonly timeoutMs: number;
  /** Whether runs are offered a tool of it, by the server's own name for it. */
  readonly offers: (tool: string) => boolean;
  /** What calls of a tool of it need. */
  readonly permissionsOf: (tool: string) => readonly Permission[];
}

/** One that stands in a file. */
export type WrittenServer = ConfiguredServer & { readonly source: 'user' | 'project' };

const DEFAULT_TIMEOUT_MS = 60_000;
const NO_LAUNCH: McpLaunch = { args: [], env: {}, headers: {} };

/** All that are written for a folder, the person's first; of two with one name the person's is used. */
export async function serversOf(
  folder: string,
  { settings, trust }: { settings: Pick<Settings, 'mcp'> & { readonly file: string }; trust: Pick<Trust, 'trusts'> },
): Promise<WrittenServer[]> {
  const own = userServers(settings.mcp.servers, settings.file);
  const others = await projectServers(folder, (path, hash) => trust.trusts(folder, path, hash));
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...others.map((one) => (taken.has(one.name) ? { ...one, state: 'overridden' as const } : one))];
}

/** Those of the settings, in the order of their names. `file`: where they are written. */
function userServers(entries: Readonly<Record<string, McpEntry>>, file: string): WrittenServer[] {
  return Object.entries(entries)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { enabled, tools, permissions, tool_permissions: own, sampling, timeout_seconds, ...launch }]) => ({
      name,
      source: 'user' as const,
      file,
      fault: null,
      launch,
      sampling,
      ...namesOf(launch),
      state: enabled ? 'usable' : 'disabled',
      timeoutMs: timeout_seconds * 1000,
      offers: (tool) => tools?.some((pattern) => matches(pattern, tool, { path: false, loose: false })) ?? true,
      permissionsOf: (tool) => (Object.hasOwn(own, tool) ? own[tool] : permissions) ?? MCP_PERMISSIONS,
    }));
}

/** Those of a project's file: none of them can lower what its tools need. Empty where there is no such file. */
async function projectServers(
  folder: string,
  trusts: (path: string, hash: string) => Promise<boolean>,
): Promise<WrittenServer[]> {
  const file = join(folder, MCP_JSON);
  let text: string;
  try {
    text = await readRegularFile(file);
  } catch (error) {
    return isMissing(error) ? [] : [faulty(MCP_JSON, file, `cannot be read: ${String(error)}`)];
  }
  const { servers, fault } = readMcpJson(text);
  if (fault !== null) return [faulty(MCP_JSON, file, fault)];
  const isTrusted = await trusts(MCP_JSON, sha256(text));
  return [...servers].map(([name, found]): WrittenServer => {
    if ('fault' in found) return faulty(name, file, found.fault);
    const state = !isTrusted ? 'untrusted' : found.enabled ? 'usable' : 'disabled';
    return { ...faulty(name, file, null), state, launch: found.launch, ...namesOf(found.launch) };
  });
}

function faulty(name: string, file: string, fault: string | null): WrittenServer {
  return {
    name,
    source: 'project',
    file,
    state: 'faulty',
    fault,
    launch: NO_LAUNCH,
    runs: '',
    config: '',
    sampling: false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    offers: () => true,
    permissionsOf: () => MCP_PERMISSIONS,
  };
}

function namesOf(launch: McpLaunch): Pick<ConfiguredServer, 'runs' | 'config'> {
  return { runs: launchWords(launch), config: canonicalHash(launch) };
}

/** Why nothing of a server can be used now. */
export function unusable({ name, source, state, fault, file }: ConfiguredServer): TriadError {
  const isPassed = source === 'client';
  const why = {
    disabled: `is switched off${source === 'user' ? `: "triad mcp enable ${name}" switches it on` : ''}`,
    untrusted: isPassed
      ? 'was passed by a client, and nobody has said yes to it as it is'
      : `stands in ${file}, which nobody has trusted as it is: see "triad trust"`,
    overridden: `is another one here: yours of the same name is used${isPassed ? ', not the one that a client passes' : ''}`,
    faulty: `cannot be used: ${fault}`,
    usable: 'can be used',
  }[state];
  return new TriadError('not_allowed', `${serverWords(name)} ${why}`);
}
