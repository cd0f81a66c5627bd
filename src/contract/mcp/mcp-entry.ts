/** An MCP server as it stands in the settings, under `[mcp.servers.NAME]`. */
import { z } from 'zod';
import { Permission } from '../agent.ts';
import { EndpointUrl } from '../endpoint-url.ts';
import { MAX_MCP_SERVERS } from '../limits.ts';

const word = z.string().min(1).max(4096);
/** Values may hold `${NAME}` of the environment, and `${secret:NAME}` of the key store. */
const values = z.record(z.string().min(1).max(200), z.string().max(8192));
const pattern = z.string().min(1).max(200);
const permissions = z.array(Permission).max(Permission.options.length);

/** What a server is started with, or reached by: the same in the settings and in a project's file. */
export const McpLaunch = z.strictObject({
  command: word.optional(),
  args: z.array(z.string().max(8192)).max(200).default([]),
  env: values.default({}),
  cwd: word.optional(),
  url: EndpointUrl.optional(),
  headers: values.default({}),
});
export type McpLaunch = z.infer<typeof McpLaunch>;

/** What its tools need, where the person classes neither them nor their server: the most that a tool can. */
export const MCP_PERMISSIONS: readonly Permission[] = ['Execute', 'NetworkAccess'];

export const McpEntry = McpLaunch.extend({
  enabled: z.boolean().default(true),
  /** Names of its tools with `*`; left out: all. */
  tools: z.array(pattern).max(200).optional(),
  /** What its tools need; left out: `MCP_PERMISSIONS`. */
  permissions: permissions.optional(),
  /** The same for single tools of it, by name. */
  tool_permissions: z.record(z.string().min(1).max(200), permissions).default({}),
  /** Whether it may ask for model requests, each of which is put to the person. */
  sampling: z.boolean().default(false),
  timeout_seconds: z.int().min(1).max(3600).default(60),
}).superRefine(checkLaunch);
export type McpEntry = z.infer<typeof McpEntry>;
export type McpEntryInput = z.input<typeof McpEntry>;

/** Exactly one way to reach it, and nothing of the other. */
export function checkLaunch(launch: McpLaunch, context: z.RefinementCtx): void {
  const { command, url, args, env, cwd, headers } = launch;
  const say = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if ((command === undefined) === (url === undefined))
    return void say('command', 'or url, one of the two, says how the server is reached');
  const idle =
    command === undefined
      ? { args: args.length > 0, env: Object.keys(env).length > 0, cwd: cwd !== undefined }
      : { headers: Object.keys(headers).length > 0 };
  for (const [key, isThere] of Object.entries(idle))
    if (isThere) say(key, `changes nothing of a server with ${command === undefined ? 'a url' : 'a command'}`);
}

const isFew = (servers: object): boolean => Object.keys(servers).length <= MAX_MCP_SERVERS;
export const mostServers = [isFew, `has more than ${MAX_MCP_SERVERS} servers`] as const;
