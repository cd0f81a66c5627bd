/** A program with a pool and one server, whose file it is given, that does not want to end; says what processes there are, and waits. */
import { once } from 'node:events';
import { McpPool } from '#core/mcp/pool.ts';

const pool = new McpPool({
  env: process.env,
  version: '0',
  auth: () => null,
  fetch,
  now: Date.now,
  onChange: () => undefined,
});
const use = pool.use(
  {
    name: 'liar',
    source: 'user',
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [process.argv[2]!, 'deaf', 'kin'],
      env: {},
      cwd: null,
    },
    timeoutMs: 60_000,
    sampling: false,
  },
  process.cwd(),
);
const { content } = await use.call('report', {}, { signal: new AbortController().signal });
const [report] = content;
if (report?.type !== 'text') throw new Error('The server said nothing');
process.stdout.write(`${report.text}\n`);
await once(process.stdin, 'data');
process.exit(0);
