/** Lines without an end from an endpoint, an MCP server and a command: memory of the real program. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, onTestFinished } from 'vitest';
import { lyingTable } from '../core/mcp/support.ts';
import { eventsOf } from '../hosts/support/owner.ts';
import { machine, type Started } from '../hosts/support/process.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { inFullRun } from '../support/samples.ts';
import { attack } from './attacks.ts';

const MEBIBYTE = 1024 * 1024;
/** Size of each line: with any of them in memory, the program would exceed the limit. */
const MEBIBYTES = inFullRun ? 400 : 160;
/** Most memory that the program may use at its peak, in bytes. It uses about 260 MB without such lines. */
const MAX_PEAK = 400_000_000;
const PIECE = 'x'.repeat(MEBIBYTE);

/** Sends a line of many pieces; stops when the client leaves. */
async function pour(response: ServerResponse, start: string): Promise<void> {
  await pipeline(Readable.from([start, ...Array<string>(MEBIBYTES).fill(PIECE)]), response).catch(() => undefined);
}

/** Returns the highest resident size of the process until it ends, in bytes. */
async function measurePeak({ child, exit }: Started): Promise<number> {
  let peak = 0;
  const read = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(read, 5);
  await exit;
  clearInterval(timer);
  return peak;
}

async function startSite(answer: (response: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => answer(response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface LineScene {
  script?: Script;
  config?: string;
  env?: Record<string, string>;
}

/** Runs one message to its end. */
async function run({ script = new Script(), config = '', env = {} }: LineScene) {
  const home = await machine(script);
  await writeFile(join(home.home, 'config.toml'), config);
  const started = home.start(['run', '--approve', 'all', '--json', 'Use it'], '', { env });
  const peak = await measurePeak(started);
  const events = eventsOf(started.out());
  const ends = events.flatMap((event) => (event.type === 'workflow-end' ? [event] : []));
  const calls = events.flatMap((event) => (event.type === 'tool-end' ? [event.entry] : []));
  return { peak, end: ends.at(-1), calls, err: started.err() };
}

/** An endpoint of the Messages API that sends one line. */
async function withEndpoint(status: number, headers: Record<string, string>, start: string): Promise<LineScene> {
  const url = await startSite((response) => void pour(response.writeHead(status, headers), start));
  return { env: { ANTHROPIC_BASE_URL: url } };
}

/** An MCP server at an address whose tool `flood` sends one line. Returns its address. */
async function startHttpServer(): Promise<string> {
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 'flood', inputSchema: { type: 'object' } }] },
  };
  return startSite((response, body) => {
    const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
    const result = results[method ?? ''];
    if (method === 'tools/call') void pour(response.writeHead(200, EVENTS), 'data: {"jsonrpc":"2.0","x":"');
    else if (result === undefined) response.writeHead(202).end();
    else response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

/** Calls a tool of each of two MCP servers. */
async function withServers(): Promise<LineScene> {
  const script = new Script()
    .step([toolUse('mcp__liar__one-line', { megabytes: MEBIBYTES })])
    .step([toolUse('mcp__web__flood', {})])
    // A server that failed is started again after a second.
    .step([toolUse('bash', { command: 'sleep 1.1' })])
    .step([toolUse('mcp__liar__report', {})])
    .step([text('Done.')]);
  return {
    script,
    config: `${lyingTable(['tools=one-line,report'])}[mcp.servers.web]\nurl = "${await startHttpServer()}"\n`,
  };
}

function withCommand(): Promise<LineScene> {
  const command = `head -c ${MEBIBYTES}M /dev/zero | tr '\\0' x; exit 7`;
  return Promise.resolve({ script: new Script().step([toolUse('bash', { command })]).step([text('Done.')]) });
}

const containing = (words: string): string => expect.stringContaining(words) as string;

const SCENES = [
  {
    scene: () => withEndpoint(200, EVENTS, 'event: message_start\ndata: {"x":"'),
    shows: { end: { outcome: 'error', error: { message: containing('sent more than 16 MiB in one piece') } } },
    lines: 1,
  },
  {
    scene: () => withEndpoint(500, { ...JSON_TYPE, 'x-should-retry': 'false' }, '{"error":{"message":"'),
    shows: { end: { outcome: 'error', error: { message: containing('failed (500)') } } },
    lines: 1,
  },
  {
    scene: withServers,
    shows: {
      end: { outcome: 'completed' },
      calls: [
        { status: 'error', output: containing('"liar" sent a message of more than 8 MiB, and was ended') },
        { status: 'error', output: containing('"web" sent a message of more than 8 MiB, and was left') },
        { status: 'completed' },
        { status: 'completed', output: containing('"pid"') },
      ],
    },
    lines: 2,
  },
  {
    scene: withCommand,
    shows: {
      end: { outcome: 'completed' },
      calls: [{ status: 'error', output: containing(`1 MiB, ${MEBIBYTES * MEBIBYTE} bytes]\n[exit code 7]`) }],
    },
    lines: 1,
  },
];

attack(
  'lines without an end from an endpoint, MCP servers and a command',
  async (tries) => {
    for (const { scene, shows } of SCENES) {
      const { peak, ...result } = await run(await scene());
      expect(result).toMatchObject(shows);
      expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(MAX_PEAK);
    }
    expect(SCENES.reduce((sum, { lines }) => sum + lines, 0)).toBe(tries);
  },
  process.platform === 'linux',
);
