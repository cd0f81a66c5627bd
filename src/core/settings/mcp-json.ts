/** A project's `.mcp.json`, in the format that other programs share; nothing of it starts before the file is trusted. */
import { z } from 'zod';
import { McpServerName } from '#contract/agent.ts';
import { MAX_MCP_SERVERS } from '#contract/limits.ts';
import { isSecretName } from '../base/child-environment.ts';
import { jsonPlace } from '../base/json-place.ts';
import { redact } from '../base/redact.ts';
import { problemWords } from '../base/problem-words.ts';
import { checkLaunch, McpLaunch } from '#contract/mcp/mcp-entry.ts';

export const MCP_JSON = '.mcp.json';

/** Longest file, in code units. */
const MAX_TEXT = 256 * 1024;

/** By name: what it is started with, or why it cannot be. */
export type ProjectServers = ReadonlyMap<string, { launch: McpLaunch; enabled: boolean } | { fault: string }>;

const File = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });
/** Keys of other programs change nothing: they can neither allow nor start anything here. */
const Entry = z
  .object({
    ...McpLaunch.shape,
    type: z.enum(['stdio', 'http', 'streamable-http']).optional(),
    enabled: z.boolean().optional(),
    disabled: z.boolean().optional(),
  })
  .superRefine(checkLaunch);

/** What the text says; with `fault`, and its place where one is known, for a text that is no such file. Never throws. */
export function readMcpJson(text: string): {
  servers: ProjectServers;
  fault: string | null;
  at?: { line: number; column: number };
} {
  const none = (fault: string) => ({ servers: new Map(), fault });
  if (text.length > MAX_TEXT) return none(`is larger than ${MAX_TEXT / 1024} KiB`);
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { ...none(`is not valid JSON: ${(error as Error).message}`), at: jsonPlace(text.replace(/^\uFEFF/, '')) };
  }
  const file = File.safeParse(raw, { error: problemWords });
  if (!file.success) return none(`mcpServers ${file.error.issues[0]?.message}`);
  const entries = Object.entries(file.data.mcpServers);
  if (entries.length > MAX_MCP_SERVERS) return none(`has more than ${MAX_MCP_SERVERS} servers`);
  return { servers: new Map(entries.map(([name, entry]) => [name, serverOf(name, entry)])), fault: null };
}

function serverOf(name: string, raw: unknown): { launch: McpLaunch; enabled: boolean } | { fault: string } {
  const named = McpServerName.safeParse(name, { error: problemWords });
  if (!named.success) return { fault: `its name ${named.error.issues[0]?.message}` };
  const parsed = Entry.safeParse(raw, { error: problemWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { fault: `${issue?.path.map(String).join('.')} ${issue?.message}`.trim() };
  }
  const { type: _, enabled = true, disabled = false, ...launch } = parsed.data;
  return { launch, enabled: enabled && !disabled };
}

/** `${NAME}` and `${NAME:-otherwise}` of the environment, `${secret:NAME}` of the key store. */
export const VARIABLE = /\$\{(secret:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The names of the variables and of the secrets whose values it wants. */
export function wantedBy({ args, command = '', env, cwd = '', url = '', headers }: McpLaunch): {
  variables: string[];
  secrets: string[];
} {
  const texts = [command, cwd, url, ...args, ...Object.values(env), ...Object.values(headers)];
  const found = texts.flatMap((text) => [...text.matchAll(VARIABLE)]);
  const names = (isSecret: boolean) =>
    found.flatMap(([, mark, name = '']) => ((mark !== undefined) === isSecret ? name : []));
  return { variables: [...new Set(names(false))], secrets: [...new Set(names(true))] };
}

/**
 * Returns the name of a secret in the command or its arguments, which other programs can read; null if there is none. A
 * variable that `env` sets does not count: its reference stays in the text.
 */
export function findSecretArgument({ args, command = '', env }: McpLaunch): string | null {
  for (const [, mark, name = ''] of [command, ...args].flatMap((text) => [...text.matchAll(VARIABLE)]))
    if (mark !== undefined || (isSecretName(name) && !Object.hasOwn(env, name))) return name;
  return null;
}

/** Returns the command with all of its arguments, or the address, as written but without keys. */
export function launchWords({ command, args, url, cwd }: McpLaunch): string {
  const folder = cwd === undefined ? '' : ` (in ${cwd})`;
  return redact(command === undefined ? (url ?? '') : `${[command, ...args.map(quoted)].join(' ')}${folder}`);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
