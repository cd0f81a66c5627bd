/** Servers that agents use end with the program, however it ends and whatever they do against it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectGone, lyingTable } from '../../core/mcp/support.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { fullTest } from '../../support/samples.ts';
import { eventsOf, waits } from '../support/owner.ts';
import { inProcess } from '../support/engine.ts';
import { machine } from '../support/process.ts';

// Of an agent whose client brought the server: in `lending`.
fullTest([
  'tests/core/mcp/stdio.test.ts › no server process outlives the program that started it (%s)',
  'tests/hosts/acp/vanish.test.ts › A client that disconnects during a write neither rejects nor repeats that write',
])('kill -9 of the program leaves no MCP server, and the open call is not repeated', async () => {
  const script = new Script()
    .step([toolUse('mcp__liar__report', {})])
    .step([toolUse('mcp__liar__silent', {})])
    .step([text('Done.')]);
  const home = await machine(script);
  await writeFile(join(home.home, 'config.toml'), lyingTable(['deaf', 'kin', 'tools=report,silent']));
  const { child, out, exit } = home.start(['run', '--approve', 'all', '--json', 'Use it']);
  const started = (): boolean =>
    eventsOf(out()).some((event) => event.type === 'tool-start' && event.name === 'mcp__liar__silent');
  await expect.poll(started, waits).toBe(true);
  const [reported] = eventsOf(out()).flatMap((event) => (event.type === 'tool-end' ? [event.entry] : []));
  const { pid, kin } = JSON.parse(reported!.output) as { pid: number; kin: number[] };
  expect(kin).toHaveLength(2);
  child.kill('SIGKILL');
  await exit;
  await expectGone([pid, ...kin]);
  const [session] = JSON.parse((await inProcess(home, 'disk')(['sessions', 'list', '--json'])).out) as {
    id: string;
  }[];
  const resumed = await inProcess(home, 'disk')(['sessions', 'resume', session!.id, '--json']);
  expect(resumed.code).toBe(0);
  const told = eventsOf(resumed.out).flatMap((event) => (event.type === 'tool-end' ? [event.entry.output] : []));
  expect(told).toEqual([expect.stringContaining('outcome unknown') as string]);
});
