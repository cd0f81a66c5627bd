/** Keys that a cut, an encoding of the file or an unusual place hides from redaction. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { tableOf } from '../core/mcp/support.ts';
import { type Harness, startEngine, yes } from '../support/engine.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { folderWith } from '../support/workspace.ts';
import { attack } from './attacks.ts';
import { SAMPLE_KEYS } from './sample-keys.ts';

const PASSWORD = SAMPLE_KEYS.find(({ name }) => name === 'password')!.secrets![0]!;
const [SEARCHED, WIDE, LIVE, OFFSET, DESCRIBED, SCHEMA, QUESTION, BRANCH, ENTRY] = SAMPLE_KEYS.filter(
  ({ text: key, secrets }) => !secrets && /^[\w-]{30,60}$/.test(key),
).map(({ text: key }) => key) as [string, string, string, string, string, string, string, string, string];

/** By where the key is. */
const KEYS: Record<string, string> = {
  'a long line before a match': SEARCHED,
  'UTF-16': WIDE,
  'the start of live output': LIVE,
  'the offset of a background command': OFFSET,
  'a line with a password that is edited': PASSWORD,
  'the description of a tool': DESCRIBED,
  'the schema of a tool': SCHEMA,
  'a question of a server': QUESTION,
  'the name of a branch': BRANCH,
  'the name of a file': ENTRY,
};

const SERVER = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const form = { message: '${QUESTION}', requestedSchema: { type: 'object', properties: { a: { type: 'string', title: '${QUESTION}' } } } };
const inputSchema = { type: 'object', properties: { a: { type: 'string', description: '${SCHEMA}' } } };
const METHODS = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'ask', description: '${DESCRIBED}', inputSchema }] }),
};
let call;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'tools/call') {
    call = id;
    send({ id: 'form', method: 'elicitation/create', params: form });
  } else if (id === 'form') send({ id: call, result: { content: [] } });
  else if (id !== undefined) send({ id, result: METHODS[method]() });
});
`;

const filler = (chars: number): string => 'words '.repeat(Math.ceil(chars / 6)).slice(0, chars);

/** Returns all that the engine sent and stored. */
function readAll({ model, events }: Harness): string {
  const records = JSON.stringify([model.requests.map(({ body }) => body), events]);
  return records.replaceAll('\\u0000', '');
}

attack('keys that a cut, an encoding of the file or an unusual place hides', async (tries) => {
  const outside = await folderWith({ 'server.mjs': SERVER });
  const script = new Script()
    .step([toolUse('grep', { pattern: 'needle', path: 'log.json' })])
    .step([toolUse('bash', { command: 'cat wide.txt' })])
    .step([toolUse('bash', { command: 'cat live.txt; sleep 0.6' })])
    .step([toolUse('bash', { command: 'cat offset.txt; sleep 5', background: true })])
    .step([toolUse('bash', { command: 'sleep 0.3' })])
    .step([toolUse('bash_jobs', { action: 'read', id: 'command-1', from: 8 })])
    .step([toolUse('edit_file', { path: 'db.ts', edits: [{ old_text: '/shop', new_text: '/store' }] })])
    .step([toolUse('mcp__notes__ask', {})])
    .step([text('Done.')]);
  const engine = await startEngine(script, {
    settings: tableOf('notes', [join(outside, 'server.mjs')]),
    programs: { PATH: process.env['PATH'] },
    files: {
      'log.json': `"${filler(900)}", "key": "${SEARCHED}", "${filler(70)}", "needle": 1, "${filler(900)}"\n`,
      'wide.txt': Buffer.from(`key ${WIDE}\n`, 'utf16le'),
      'live.txt': `key ${LIVE}\n${filler(3980)}`,
      'offset.txt': `${OFFSET}\n`,
      'db.ts': `const address = "postgres://user:${PASSWORD}@host/shop";\n`,
      [`a-${ENTRY}`]: '',
    },
    person: (approval, item) =>
      approval.request.during ? { kind: 'reply', replies: [{ chosen: [], words: 'a' }] } : yes(approval, item),
  });
  execFileSync('git', ['init', '--quiet', '--initial-branch', `b-${BRANCH}`], { cwd: engine.folder });
  await engine.ask('Work');
  expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(Array(8).fill('completed'));
  for (const { tail } of engine.of('tool-output')) expect(tail.length).toBeLessThanOrEqual(4000);
  const records = readAll(engine);
  const leaks = Object.entries(KEYS).filter(([, key]) => records.includes(key.slice(-8)));
  expect(leaks.map(([place]) => place)).toEqual([]);
  expect(records.match(/\[redacted: /g)!.length).toBeGreaterThan(tries);
  expect(Object.keys(KEYS)).toHaveLength(tries);
});
