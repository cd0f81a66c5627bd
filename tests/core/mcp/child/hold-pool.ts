/**
 * A program with a pool and one server that ignores requests to end. Arguments: the file of the server, and a workspace folder
 * if it runs in the sandbox. Prints what the server reports of its processes, and waits.
 */
import { once } from 'node:events';
import { McpPool } from '#core/mcp/pool.ts';
import { readFolderIdSync } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { findSandbox, NO_OPTIONS } from '#core/workspace/shell/sandbox.ts';

const [file = '', folder] = process.argv.slice(2);
const sandbox = folder === undefined ? null : await findSandbox(process.env);
const workspace = {
  folder: folder ?? '',
  root: readFolderIdSync(folder ?? '') ?? '',
  own: [],
  sessions: [],
  secrets: NO_FILES,
};
const pool = new McpPool({
  env: process.env,
  version: '0',
  auth: () => null,
  fetch,
  now: Date.now,
  onChange: () => undefined,
  sandboxFor: () => Promise.resolve(sandbox && { sandbox, workspace, options: NO_OPTIONS }),
  neutralFolder: null,
  ensureSettled: () => Promise.resolve(),
});
const use = pool.use(
  {
    name: 'liar',
    source: 'user',
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [file, 'deaf', 'kin'],
      env: {},
      cwd: null,
    },
    timeoutMs: 60_000,
    sampling: false,
  },
  folder ?? process.cwd(),
);
const { content } = await use.server.call('report', {}, { signal: new AbortController().signal });
const [report] = content;
if (report?.type !== 'text') throw new Error('The server said nothing');
process.stdout.write(`${report.text}\n`);
await once(process.stdin, 'data');
process.exit(0);
