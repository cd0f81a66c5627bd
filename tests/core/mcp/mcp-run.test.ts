/** Agents use MCP servers: what they are offered, what is asked, and what becomes of it in the run. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';

const server = (name: string): string =>
  join(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
export const serving = (name: string, more = ''): string =>
  `[mcp.servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server(name))}]\n${more}\n`;

test('a call of a tool is asked about with what the server says of it, and its result reaches the model', async () => {
  const script = new Script().step([toolUse('mcp__everything__echo', { message: 'Hello' })]).step([text('Done.')]);
  const engine = await startEngine(script, { settings: serving('everything') });
  await engine.ask('Echo');
  const [asked] = engine.of('approval-request');
  expect(asked?.approval).toMatchObject({
    title: 'Use echo of the MCP server everything',
    reversible: false,
    subject: { tool: 'mcp__everything__echo', mcp: { server: 'everything', tool: 'echo', before: null } },
  });
  const [done] = engine.of('tool-end');
  expect(done?.entry).toMatchObject({ status: 'completed', output: 'Echo: Hello' });
  const [queued] = engine.of('run-queue');
  expect(queued?.envelope.mcpServers).toEqual(['everything']);
});
