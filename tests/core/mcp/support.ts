/** Pools of real servers, which end with the test. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ContentBlock, CallResult } from '#core/mcp/answers.ts';
import { McpPool, type McpPoolPorts, type McpUse } from '#core/mcp/pool.ts';
import type { McpServerConfig } from '#core/mcp/server-config.ts';
import { isAlive } from '#core/workspace/shell/leftovers.ts';
import { COMPILED } from '../../support/compiled.ts';
import { eventually } from '../../support/eventually.ts';
import { builtProgram, ROOT } from '../../support/program.ts';

export const LIAR = builtProgram(join(ROOT, 'tests/support/lying-server.ts'));

type Stdio = Extract<McpServerConfig['transport'], { kind: 'stdio' }>;

/** With a time limit that no test reaches unless it says so. */
export function serverOf(
  name: string,
  transport: McpServerConfig['transport'],
  more: Partial<McpServerConfig> = {},
): McpServerConfig {
  return { name, source: 'user', transport, timeoutMs: 60_000, sampling: false, ...more };
}

export function commandOf(file: string, args: readonly string[] = [], more: Partial<Stdio> = {}): Stdio {
  return { kind: 'stdio', command: process.execPath, args: [file, ...args], env: COMPILED, cwd: null, ...more };
}

/** The settings of a server that runs with these arguments; `more`: further lines of its table. */
export function tableOf(name: string, args: readonly string[], more = '', env: Record<string, string> = {}): string {
  const values = Object.entries({ ...COMPILED, ...env }).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [
    `[mcp.servers.${name}]`,
    `command = ${JSON.stringify(process.execPath)}`,
    `args = ${JSON.stringify(args)}`,
    `env = { ${values.join(', ')} }`,
    `${more}\n`,
  ].join('\n');
}

/** The settings of a server that behaves as these words say. */
export const lyingTable = (words: readonly string[], more = ''): string => tableOf('liar', [LIAR, ...words], more);

/** A workspace with `.mcp.json` and the server that it starts, whose files the sandbox shows. */
export async function projectFiles(tools: string): Promise<Record<'.mcp.json' | 'liar.mts', string>> {
  const source = await readFile(join(ROOT, 'tests/support/lying-server.ts'), 'utf8');
  return { '.mcp.json': projectJson(tools), 'liar.mts': source };
}

export function projectJson(tools: string): string {
  const entry = { command: process.execPath, args: ['liar.mts', `tools=${tools}`], env: COMPILED };
  return JSON.stringify({ mcpServers: { liar: entry } });
}

/** A server that behaves as these words say. */
export function liar(modes: readonly string[] = [], more: Partial<McpServerConfig> = {}): McpServerConfig {
  return serverOf('liar', commandOf(LIAR, modes), more);
}

/** One of the protocol's own examples, such as `memory`. */
export function reference(
  name: string,
  args: readonly string[] = [],
  more: Partial<McpServerConfig> = {},
): McpServerConfig {
  const file = join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  return serverOf(name, commandOf(file, args), more);
}

export function newPool(more: Partial<McpPoolPorts> = {}): McpPool {
  return new McpPool({
    env: process.env,
    version: '1.2.3',
    auth: () => null,
    fetch,
    now: Date.now,
    onChange: () => undefined,
    sandboxFor: () => Promise.resolve(null),
    neutralFolder: null,
    ensureSettled: () => Promise.resolve(),
    ...more,
  });
}

/** A pool that ends with the test. */
export function testPool(more: Partial<McpPoolPorts> = {}): McpPool {
  const pool = newPool(more);
  onTestFinished(() => pool.end());
  return pool;
}

export const never = new AbortController().signal;

/** A use of its own pool. */
export function useOf(
  server: McpServerConfig,
  folder = ROOT,
  more: Partial<McpPoolPorts> = {},
): McpUse & { pool: McpPool } {
  const pool = testPool(more);
  return { ...pool.use(server, folder), pool };
}

export const textOf = ({ content }: CallResult): string =>
  content.map((block: ContentBlock) => (block.type === 'text' ? block.text : block.type)).join('\n');

/** The answer of a tool without arguments, as text. */
export async function said(use: McpUse, tool: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return textOf(await use.server.call(tool, args, { signal: never }));
}

export interface Report {
  pid: number;
  kin: number[];
  cwd: string;
  env: Record<string, string>;
  /** What we say that we can do. */
  declared: unknown;
}

export async function reportOf(use: McpUse): Promise<Report> {
  return JSON.parse(await said(use, 'report')) as Report;
}

export function areAlive(pids: readonly number[]): boolean[] {
  return pids.map(isAlive);
}

export async function expectGone(pids: readonly number[]): Promise<void> {
  expect(pids).not.toEqual([]);
  await eventually(() => expect(areAlive(pids)).toEqual(pids.map(() => false)));
}
