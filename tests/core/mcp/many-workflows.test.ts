/** One workflow after the other uses the protocol's own servers: each runs once, and none is left at the end. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newId } from '#core/base/ids.ts';
import { startEngine } from '../../support/engine.ts';
import { eventually } from '../../support/eventually.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { ROOT } from '../../support/program.ts';
import { fullTest } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';
import { tableOf } from './support.ts';

const MARK = 'MCP_TEST_MARK';

const THOUGHT = { thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
const SERVERS = ['everything', 'filesystem', 'memory', 'sequential-thinking'];
const ALL_CALLS: [server: string, Block, RegExp][] = [
  ['everything', toolUse('mcp__everything__get-sum', { a: 2, b: 3 }), /\b5\b/],
  ['everything', toolUse('mcp__everything__read_resource', {}), /\S+:\/\//],
  // Told the workspace as its root, it reads nothing else, whatever its arguments name.
  ['filesystem', toolUse('mcp__filesystem__list_directory', { path: '.' }), /README\.md/],
  ['memory', toolUse('mcp__memory__read_graph', {}), /"entities"/],
  ['sequential-thinking', toolUse('mcp__sequential-thinking__sequentialthinking', THOUGHT), /"thoughtNumber": 1/],
];
const CALLS = ALL_CALLS.map(([, call, told]) => ({ call, told }));

/** Processes whose environment has the mark. */
async function marked(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.includes(`${MARK}=${mark}`) ? [pid] : [];
    }),
  );
  return found.flat();
}

// That a process serves several runs and is gone with the program is tried with the server that lies.
fullTest(
  [
    'tests/core/mcp/pool.test.ts › three users share one server process, and another folder or configuration gets its own process',
    'tests/core/mcp/pool.test.ts › ending the pool ends running and starting servers with their children, and allows no new start',
  ],
  process.platform === 'linux',
)(
  'fifty workflows use one process for each reference server, and no process remains',
  { timeout: 300_000 },
  async () => {
    const mark = newId();
    const folder = await folderWith({});
    const env = { [MARK]: mark, MEMORY_FILE_PATH: join(folder, 'memory.json') };
    const table = (name: string, ...args: string[]): string => {
      const file = join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
      return tableOf(name, [file, ...args], 'permissions = []', env);
    };
    const settings = SERVERS.map((name) => (name === 'filesystem' ? table(name, folder) : table(name)));
    const script = new Script();
    CALLS.forEach(({ call }, index) => script.on({ turn: index + 1 }).reply([call]));
    script.on({}).reply([text('Done.')]);
    const engine = await startEngine(script, { settings: settings.join('\n') });
    const seen = new Set<string>();
    for (let left = 50; left > 0; left -= 1) {
      const { id } = await engine.runtime.request('conversation.create', {});
      const ended = Promise.withResolvers<void>();
      const outputs: string[] = [];
      await engine.runtime.subscribe('conversation', { conversationId: id }, (event) => {
        if (event.type === 'tool-end' && event.entry.kind === 'tool') outputs.push(event.entry.output);
        if (event.type === 'workflow-end') ended.resolve();
      });
      await engine.runtime.request('message.send', { conversationId: id, text: 'Go' });
      await ended.promise;
      CALLS.forEach(({ told }, index) => expect(outputs[index], `call ${index + 1}`).toMatch(told));
      for (const pid of await marked(mark)) seen.add(pid);
    }
    // Each of them, and who watches it.
    expect(seen.size).toBe(2 * SERVERS.length);
    await engine.runtime.close();
    await eventually(async () => expect(await marked(mark)).toEqual([]));
  },
);
