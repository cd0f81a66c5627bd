/** Keys in files, commands, MCP servers and web pages reach no request, record, export, span or output. */
import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knowSecrets } from '#core/base/redact.ts';
import { tableOf } from '../core/mcp/support.ts';
import { commandLine } from '../hosts/support/memory-io.ts';
import { type Harness, startEngine } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { startCollector } from '../support/telemetry/collector.ts';
import { webServer } from '../support/web/web-server.ts';
import { folderWith } from '../support/workspace.ts';
import { attack } from './attacks.ts';
import { listSecrets, SAMPLE_KEYS } from './sample-keys.ts';

const FILE = 'docs/notes.txt';
const OWN_KEY = 'own-key-of-the-person-0815';

/** Each sample in one form, with words around it. */
const FORMS: Record<string, (key: string) => string> = {
  plain: (key) => key,
  base64: (key) => Buffer.from(`user:${key}\n`).toString('base64'),
  hexadecimal: (key) => Buffer.from(key).toString('hex'),
};
const KEYS = [...SAMPLE_KEYS, { name: 'known key', text: OWN_KEY }];

/** Spellings of a secret: any of them would reveal it. */
function spell(secret: string): string[] {
  const bytes = [0, 1, 2].map((before) =>
    Buffer.from(`${'\0'.repeat(before)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, secret.replaceAll('\n', '\\n'), Buffer.from(secret).toString('hex'), ...bytes];
}
const SPELLINGS = KEYS.flatMap(listSecrets).flatMap(spell);

const SERVER = `
import fs from 'node:fs';
import { createInterface } from 'node:readline';
const read = () => fs.readFileSync(process.argv[2], 'utf8');
const METHODS = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'show', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
  'prompts/list': () => ({ prompts: [{ name: 'show' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: read() } }] }),
  'tools/call': () => {
    const text = read();
    return { content: [{ type: 'text', text }], structuredContent: { text } };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: METHODS[method]?.() }) + '\\n');
});
`;

/** Calls that read the notes, and edit a line. */
function readInEachWay(url: string): Script {
  return new Script()
    .step([toolUse('read_file', { path: FILE }), toolUse('read_file', { path: FILE, offset: 3 })])
    .step([toolUse('grep', { pattern: '.', path: FILE })])
    .step([toolUse('bash', { command: `cat ${FILE}; sleep 0.3; cat ${FILE} >&2; cp ${FILE} copy.txt; exit 3` })])
    .step([toolUse('bash', { command: `cat ${FILE}`, background: true })])
    .step([toolUse('bash', { command: 'sleep 0.5' })])
    .step([toolUse('bash_jobs', { action: 'read', id: 'command-1' })])
    .step([toolUse('web_fetch', { url })])
    .step([toolUse('mcp__notes__show', {})])
    .step([toolUse('edit_file', { path: FILE, edits: [{ old_text: 'last line', new_text: 'the last line' }] })])
    .step([text('Done.')]);
}

/** Reads the notes in every way that an agent has, and edits a line. Returns all that left the engine. */
async function readEverywhere(notes: string): Promise<Record<string, string>> {
  onTestFinished(() => ['environment', 'MCP servers'].forEach((source) => knowSecrets(source, [])));
  const collector = await startCollector();
  const web = await webServer((_, response) => response.end(notes));
  const outside = await folderWith({ 'server.mjs': SERVER, 'notes.txt': notes });
  const server = tableOf('notes', [join(outside, 'server.mjs'), join(outside, 'notes.txt')]);
  const settings = [
    `telemetry = { endpoint = "${collector.url}", content = true }`,
    `web.private_hosts = ["${web.host}"]`,
    server,
  ].join('\n');
  const engine = await startEngine(readInEachWay(web.url), {
    settings,
    files: { [FILE]: notes, 'AGENTS.md': `The guide.\n${notes}` },
    programs: { PATH: process.env['PATH'], DEPLOY_TOKEN: OWN_KEY },
    data: await folderWith(),
  });
  const { conversationId, runtime, folder } = engine;
  await engine.trust.add(folder, 'AGENTS.md', `The guide.\n${notes}`);
  const prompt = await runtime.request('mcp.prompt', { folder, name: 'notes', prompt: 'show', args: {} });
  const { workflowId } = await runtime.request('message.send', {
    conversationId,
    text: 'Look',
    approve: 'all',
    files: [{ name: 'notes.txt', text: notes }],
  });
  await engine.ended(workflowId);
  await eventually(() => expect(collector.spans.some(({ name }) => name === 'prompt')).toBe(true));
  expect(engine.of('tool-end').map(({ entry }) => [entry.name, entry.status])).toEqual([
    ['read_file', 'completed'],
    ['read_file', 'completed'],
    ['grep', 'completed'],
    ['bash', 'error'],
    ['bash', 'completed'],
    ['bash', 'completed'],
    ['bash_jobs', 'completed'],
    ['web_fetch', 'completed'],
    ['mcp__notes__show', 'completed'],
    ['edit_file', 'completed'],
  ]);
  expect(JSON.stringify(engine.model.requests[0]?.body)).toContain('The guide.');
  return {
    ...(await collectRecords(engine, workflowId)),
    spans: JSON.stringify(collector.requests.map(({ text: body }) => body)),
    'prompt of a server': prompt.text,
  };
}

/** All that the engine sent, stored and shows. */
async function collectRecords(engine: Harness, workflowId: string): Promise<Record<string, string>> {
  const { conversationId, runtime } = engine;
  const exported = async (format: 'md' | 'json') =>
    (await runtime.request('conversation.export', { conversationId, format, unredacted: true })).text;
  const { out, err } = await commandLine(runtime)('sessions', 'show', conversationId);
  const { workflow } = await runtime.request('workflow.get', { workflowId });
  const diffs = (await runtime.request('change.list', { conversationId })).flatMap(({ runId, toolCallId, files }) =>
    files.map(({ path }) => runtime.request('change.diff', { conversationId, runId, toolCallId, path })),
  );
  return {
    requests: JSON.stringify(engine.model.requests.map(({ body }) => body)),
    events: JSON.stringify(engine.events),
    entries: JSON.stringify(await runtime.request('run.entries', { runId: workflow.runId })),
    changes: JSON.stringify(await Promise.all(diffs)),
    'export in Markdown': await exported('md'),
    'export in JSON': await exported('json'),
    terminal: out + err,
  };
}

attack('known keys in files, commands, MCP servers and web pages', async (tries) => {
  const forms = Object.values(FORMS);
  expect(KEYS.length * forms.length).toBe(tries);
  const lines = KEYS.flatMap(({ text: key }, at) => forms.map((encode) => `line ${at}: "${encode(key)}"`));
  const sinks = await readEverywhere(`${lines.join('\n')}\nlast line\n`);
  const names = [...new Set(KEYS.map(({ name }) => name))];
  for (const [sink, content] of Object.entries(sinks)) {
    const found = SPELLINGS.filter((spelling) => content.includes(spelling));
    expect(found, sink).toEqual([]);
    const missing = names.filter((name) => !content.includes(`[redacted: ${name}]`));
    expect(missing, sink).toEqual([]);
  }
});

test('redacts a private key in a partly read file and in a search match', async () => {
  const { text: key, secrets } = SAMPLE_KEYS.find(({ name }) => name === 'private key')!;
  const script = new Script()
    .step([toolUse('read_file', { path: 'a.txt', offset: 3, limit: 1 })])
    .step([toolUse('grep', { pattern: secrets![1]!.slice(0, 12) })])
    .step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': `first\n${key}\n` } });
  await engine.ask('Read', 'all');
  const [page, match] = engine.of('tool-end').map(({ entry }) => entry.output);
  expect(page).toMatch(/^\[redacted: private key\]/);
  expect(match).toMatch(/^a\.txt:4:\[redacted: private key\]/);
});

const [TOKEN] = SAMPLE_KEYS.filter(({ name }) => name === 'GitHub token').map(({ text: key }) => key);
test('shows no part of a key in live output', async () => {
  const output = `${TOKEN} ${'0'.repeat(3960)}`;
  const script = new Script().step([toolUse('bash', { command: 'cat a.txt; sleep 0.5' })]).step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.txt': output } });
  await engine.ask('Read', 'all');
  const tails = engine.of('tool-output').map(({ tail }) => tail);
  expect(tails.join('')).toContain('0000');
  expect(tails.join('')).not.toContain(TOKEN!.slice(4));
});

const SOURCE = `const a = 1;\nconst token = "${TOKEN}";\nconst b = 2;\n`;
const UNREDACTED = toolUse('read_file', { path: 'a.ts', unredacted: true });

const outputs = (engine: Harness) => engine.of('tool-end').map(({ entry }) => entry.output);

test('asks once before a file is read with its keys, despite an allow rule and mode auto, and again after a change', async () => {
  const rule = '[[permissions.rules]]\neffect = "allow"\ntool = "read_file"\npattern = "**"\n';
  const script = new Script();
  for (let time = 0; time < 4; time += 1) script.step([UNREDACTED]).step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.ts': SOURCE }, settings: rule });
  const { runtime, conversationId } = engine;
  const read = async (): Promise<void> => {
    const send = { conversationId, text: 'Read', approve: 'ask', mode: 'auto' } as const;
    await engine.ended((await runtime.request('message.send', send)).workflowId);
  };
  await read();
  await read();
  expect(outputs(engine)).toEqual([SOURCE, SOURCE]);
  const [question, ...others] = engine.of('approval-request').map(({ approval }) => approval);
  expect(others).toEqual([]);
  expect(question).toMatchObject({
    title: 'Read a.ts with its keys',
    description: expect.stringMatching(
      /^a\.ts contains: GitHub token\. If you allow this, the keys are sent to the model/,
    ) as string,
    risk: 'high',
    subject: { keys: ['GitHub token'] },
  });
  expect(question).not.toHaveProperty('grant');
  expect(JSON.stringify(question)).not.toContain(TOKEN);
  await writeFile(join(engine.folder, 'a.ts'), `${SOURCE}// changed\n`);
  await read();
  expect(engine.of('approval-request')).toHaveLength(2);
});

test.for([
  ['all', 'Only a person can allow this'],
  ['none', 'Every question of this workflow is answered no'],
] as const)('sends no keys of a file if approval is %s', async ([approve, reason]) => {
  const engine = await startEngine(new Script().step([UNREDACTED]).step([text('Done.')]), {
    files: { 'a.ts': SOURCE },
  });
  await engine.ask('Read', approve);
  expect(outputs(engine)[0]).toContain(reason);
  expect(JSON.stringify(engine.model.requests)).not.toContain(TOKEN);
});

test('returns nothing if the file changes between the approval request and the answer', async () => {
  const engine: Harness = await startEngine(new Script().step([UNREDACTED]).step([text('Done.')]), {
    files: { 'a.ts': SOURCE },
    person: () => {
      writeFileSync(join(engine.folder, 'a.ts'), `${SOURCE}${SAMPLE_KEYS[0]!.text}\n`);
      return { kind: 'allow' };
    },
  });
  await engine.ask('Read');
  expect(outputs(engine)[0]).toBe('a.ts has changed since the question: call read_file again');
});

const edit = (old: string, fresh: string) =>
  toolUse('edit_file', { path: 'a.ts', edits: [{ old_text: old, new_text: fresh }] });

test('never writes a placeholder over a key, and preserves the key when other lines change', async () => {
  const placeholder = '[redacted: GitHub token]';
  const script = new Script()
    .step([toolUse('read_file', { path: 'a.ts' })])
    .step([edit(`const token = "${placeholder}";`, 'const token = 1;')])
    .step([edit('const a = 1;', `const a = "${placeholder}";`)])
    .step([toolUse('write_file', { path: 'a.ts', content: `const token = "${placeholder}";\n` })])
    .step([edit('const b = 2;', 'const b = 3;')])
    .step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.ts': SOURCE } });
  await engine.ask('Edit', 'all');
  const [read, ...edits] = engine.of('tool-end').map(({ entry }) => entry);
  expect(read?.output).toContain(`const token = "${placeholder}";`);
  expect(read?.output).toContain('Redacted here: GitHub token.');
  expect(edits.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'completed']);
  for (const { output } of edits.slice(0, 3))
    expect(output).toContain(`"${placeholder}" is a placeholder for a key, not text of a.ts`);
  expect(await readFile(join(engine.folder, 'a.ts'), 'utf8')).toBe(SOURCE.replace('b = 2', 'b = 3'));
  const [preview] = engine.of('approval-request').map(({ approval }) => JSON.stringify(approval));
  expect(preview).toContain(placeholder);
  expect(preview).not.toContain(TOKEN);
});

test('preserves literal placeholders of a file, and rejects new ones', async () => {
  const line = 'It shows [redacted: GitHub token].\n';
  const script = new Script()
    .step([toolUse('write_file', { path: 'a.md', content: `${line}const token = "[redacted: GitHub token]";\n` })])
    .step([toolUse('write_file', { path: 'a.md', content: `# Guide\n${line}` })])
    .step([text('Done.')]);
  const engine = await startEngine(script, { files: { 'a.md': `${line}const token = "${TOKEN}";\n` } });
  await engine.ask('Write', 'all');
  expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['error', 'completed']);
  expect(await readFile(join(engine.folder, 'a.md'), 'utf8')).toBe(`# Guide\n${line}`);
});
