/** MCP servers as the page of a folder's servers shows them, and the methods about them. */
import { z } from 'zod';
import { McpServerName, Permission } from '../agent.ts';
import { Instant } from '../ids.ts';
import { McpEntry } from './mcp-entry.ts';
import { method, nothing } from '../method.ts';

export const McpToolView = z.object({
  /** `mcp__SERVER__TOOL` */
  name: z.string(),
  /** The server's own name for it. */
  tool: z.string(),
  /** As the server says it now; empty where it says nothing. */
  description: z.string(),
  /** The JSON schema of its arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
  permissions: z.array(Permission),
  /** SHA-256 in hex of what the server says of it now: what is agreed to. */
  hash: z.string(),
  /** Against what the person last agreed to: a call of a `changed` one is put to them, and a `new` one no run gets. */
  state: z.enum(['known', 'changed', 'new']),
  /** The description that they agreed to; null unless it changed. */
  before: z.string().nullable(),
  /** Whether runs get it: the settings may name only some tools. */
  offered: z.boolean(),
});
export type McpToolView = z.infer<typeof McpToolView>;

/** How a server runs now; null in `pid` for one at an address. */
export const McpProcess = z.object({
  status: z.enum(['idle', 'starting', 'ready', 'failed', 'stopped']),
  since: Instant,
  pid: z.int().nullable(),
  /** True while it runs in the sandbox of its workspace. */
  isSandboxed: z.boolean(),
  /** Runs that use it. */
  users: z.int(),
  /** Why it failed, in one sentence. */
  error: z.string().nullable(),
  /** When a failed one is tried again. */
  retryAt: Instant.nullable(),
  /** What it says of itself; null before it was ready. */
  words: z.object({ name: z.string(), version: z.string(), instructions: z.string().nullable() }).nullable(),
  /** Its last lines, the newest last. */
  log: z.array(z.string()),
});
export type McpProcess = z.infer<typeof McpProcess>;

export const McpServerView = z.object({
  name: z.string(),
  source: z.enum(['user', 'project']),
  /** Where it is written. */
  file: z.string(),
  kind: z.enum(['stdio', 'http']),
  /** Its command with all arguments, or its address. */
  runs: z.string(),
  /** Only a `usable` one is ever started; `overridden`: the person has one of the same name. */
  state: z.enum(['usable', 'disabled', 'untrusted', 'faulty', 'overridden']),
  /** What is wrong with it as it is written. */
  fault: z.string().nullable(),
  /** What calls of its tools need, where no single tool is classed otherwise. */
  permissions: z.array(Permission),
  sampling: z.boolean(),
  /** Whether it stands at an address where the person can sign in, and has. */
  signIn: z.enum(['none', 'out', 'in']),
  /** Null where nothing was asked of it since the program started. */
  process: McpProcess.nullable(),
  /** When it last said what it offers; null: never. */
  heardAt: Instant.nullable(),
  /** As it was last heard. */
  tools: z.array(McpToolView),
});
export type McpServerView = z.infer<typeof McpServerView>;

/** What a test found: the server was started and asked. */
export const McpTest = z.object({
  server: McpServerView,
  /** Null where it answered. */
  error: z.string().nullable(),
  durationMs: z.number(),
  resources: z.array(z.object({ uri: z.string(), name: z.string(), description: z.string() })),
  prompts: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      arguments: z.array(z.object({ name: z.string(), description: z.string(), required: z.boolean() })),
    }),
  ),
});
export type McpTest = z.infer<typeof McpTest>;

/** `folder` defaults to the folder for new conversations. */
const folder = z.string().min(1).max(4096).optional();
const named = z.strictObject({ folder, name: McpServerName });

export const mcpMethods = {
  /** All that are written for a folder, also those that may not be used. Starts none. */
  'mcp.list': method(z.strictObject({ folder }), z.array(McpServerView)),
  /** Starts a server where it does not run, and asks what it offers. Rejects where it may not be used. */
  'mcp.test': method(named, McpTest),
  /**
   * The person agrees to these tools of a server (its own names for them) as they were shown; rejects with `conflict` where
   * it describes one in another way since.
   */
  'mcp.accept': method(
    z.strictObject({
      folder,
      name: McpServerName,
      tools: z.array(z.strictObject({ tool: z.string().max(256), hash: z.string().max(64) })).max(500),
    }),
    McpServerView,
  ),
  /**
   * Writes a server into the settings. `secrets`: values for the key store, by the NAME of `${secret:NAME}` in the entry.
   * Rejects with `conflict` where there is one of the name, unless it is to `replace` that.
   */
  'mcp.add': method(
    z.strictObject({
      name: McpServerName,
      entry: McpEntry,
      secrets: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(8192)).default({}),
      replace: z.boolean().default(false),
    }),
    McpServerView,
  ),
  /** Takes it and its secrets out of the settings and the key store, and ends it. */
  'mcp.remove': method(z.strictObject({ name: McpServerName }), nothing),
  'mcp.enable': method(z.strictObject({ name: McpServerName, enabled: z.boolean() }), McpServerView),
  /** Ends it until it is started again by `mcp.restart` or a test. */
  'mcp.stop': method(named, McpServerView),
  'mcp.restart': method(named, McpServerView),
  /** A prompt of a server with its arguments filled in, as text for a message. */
  'mcp.prompt': method(
    z.strictObject({
      folder,
      name: McpServerName,
      prompt: z.string().min(1).max(256),
      args: z.record(z.string().max(256), z.string().max(100_000)).default({}),
    }),
    z.object({ text: z.string() }),
  ),
  /** Begins to sign in: the address that the person opens. Ends with their answer there; `mcp.list` then says `in`. */
  'mcp.login': method(named, z.object({ url: z.string() })),
  /** Forgets what signing in gave. */
  'mcp.logout': method(named, McpServerView),
} as const;
