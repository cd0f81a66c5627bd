/** Secrets that were planted wherever text comes from are looked for wherever it leaves the program. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knowPatterns, knowSecrets, redact } from '#core/base/redact.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import { lineOf } from '#hosts/cli/terminal/failure.ts';
import { LIAR, tableOf } from '../core/mcp/support.ts';
import { type Harness, startEngine } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { type Collector, startCollector } from '../support/telemetry/collector.ts';
import { folderWith } from '../support/workspace.ts';
import { connectTo } from './support/engine.ts';
import { memoryClient } from './support/memory-client.ts';
import { commandLine, memoryIo } from './support/memory-io.ts';

/** By what makes them secret. */
const SECRETS = {
  'a kept key': 'kept-key-4711-abcdefgh',
  'a key of the environment': 'env-token-0815-ijklmnop',
  'a variable that the person names': 'correct horse battery',
  "the person's pattern": 'CUST-123456',
  'a token of GitHub': 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'a key of a provider': 'sk-ant-api03-abcdefghijklmnopqrstuvwx',
  'a token that is signed': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N',
  'a password in an address': 's3cretpassw0rd',
};
const ALL = Object.values(SECRETS)
  .map((one) => (one === SECRETS['a password in an address'] ? `https://me:${one}@host/x` : one))
  .join(' | ');

const ENV = {
  DEPLOY_TOKEN: SECRETS['a key of the environment'],
  TEAM_WORDS: SECRETS['a variable that the person names'],
};
const MARKED = 'redact = { patterns = ["CUST-[0-9]{6}"], env = ["TEAM_WORDS"] }';

interface Run {
  engine: Harness;
  collector: Collector;
  data: string;
  config: string;
  workflowId: string;
}

async function planted(): Promise<Run> {
  const collector = await startCollector();
  const config = await folderWith({ 'config.toml': `${MARKED}\n` });
  const data = await folderWith();
  const settings = [
    `telemetry = { endpoint = "${collector.url}", content = true }`,
    MARKED,
    tableOf('liar', [LIAR, 'tools=fails,refuses']),
  ].join('\n');
  const secrets = fileSecrets(config);
  await secrets.set('anthropic.key', JSON.stringify({ apiKey: SECRETS['a kept key'], address: 'http://127.0.0.1:9' }));
  const calls = [
    toolUse('read_file', { path: 'planted.txt' }),
    toolUse('read_file', { path: `no-${SECRETS["the person's pattern"]}-${SECRETS['a kept key']}` }),
    toolUse('mcp__liar__fails', { text: ALL }),
    toolUse('mcp__liar__refuses', { text: ALL }),
    // The name of a tool is in a span also without its content.
    toolUse(SECRETS['a token of GitHub'], {}),
  ];
  const script = calls.reduce((all, call) => all.step([text(`Now ${ALL}`), call]), new Script());
  script.on({ step: 6 }).reply([], { status: 400, error: { type: 'invalid_request_error', message: ALL } });
  const engine = await startEngine(script, {
    settings,
    data,
    secrets,
    files: { 'planted.txt': `${ALL}\n` },
    programs: { PATH: process.env['PATH'], ...ENV },
  });
  const { workflowId } = await engine.ask(`Look at ${ALL}`, 'all');
  return { engine, collector, data, config, workflowId };
}

async function filesBelow(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.map(async (one) =>
    one.isFile() ? `${one.name}\n${await readFile(join(one.parentPath, one.name), 'utf8')}` : one.name,
  );
  return (await Promise.all(texts)).join('\n');
}

const exported = async ({ engine }: Run, format: 'md' | 'json', unredacted = false): Promise<string> => {
  const { conversationId } = engine;
  const { fileName, text: whole } = await engine.runtime.request('conversation.export', {
    conversationId,
    format,
    unredacted,
  });
  return `${fileName}\n${whole}`;
};

async function doctor({ engine, config }: Run, args: string[]): Promise<string> {
  const client: typeof engine.runtime = {
    ...engine.runtime,
    request: async (method, input) => {
      // What a check finds may name anything.
      if (method === 'provider.models')
        return { address: ALL, models: null, at: null, fault: null, unlisted: null } as never;
      return engine.runtime.request(method, input);
    },
  };
  const { out, err } = await commandLine(client, { env: { TRIAD_HOME: config, ...ENV } })('doctor', ...args);
  return out + err;
}

/** Where text leaves the program, and words that must be in it, so that it is the right text. */
const SINKS: Record<string, { read: (run: Run) => Promise<string> | string; has: string }> = {
  spans: {
    read: async ({ collector }) => {
      await eventually(() => expect(collector.spans.some(({ name }) => name === 'prompt')).toBe(true));
      return JSON.stringify(collector.requests.map(({ text: body }) => body));
    },
    has: 'execute_tool mcp__liar__fails',
  },
  'the Markdown export': { read: (run) => exported(run, 'md'), has: 'Look at ' },
  'the JSON export': { read: (run) => exported(run, 'json'), has: '"triad-conversation"' },
  'the Markdown of the session': {
    read: async ({ engine, data }) => {
      await engine.runtime.request('conversation.project', { conversationId: engine.conversationId });
      return filesBelow(data);
    },
    has: 'session.md',
  },
  'errors of the provider': {
    read: async ({ engine, workflowId }) => {
      const { workflow, runs, requests } = await engine.runtime.request('workflow.get', { workflowId });
      const ends = [...engine.of('run-end'), ...engine.of('workflow-end')].map(({ error }) => error);
      return JSON.stringify([workflow.error, runs.map(({ error }) => error), requests.map(({ error }) => error), ends]);
    },
    has: 'refused the request: ',
  },
  'failures of tools and MCP servers': {
    read: ({ engine }) => {
      const failed = engine
        .of('tool-end')
        .filter(({ entry }) => entry.status === 'error')
        .slice(0, -1);
      expect(failed).toHaveLength(3);
      return JSON.stringify(failed);
    },
    has: 'refused the tool',
  },
  'what an MCP server said': {
    read: async ({ engine }) => JSON.stringify(await engine.runtime.request('mcp.list', {})),
    has: '"liar"',
  },
  'lines on standard error': {
    read: async ({ engine }) => {
      const io = memoryIo({ client: engine.runtime });
      io.screen.note(`triad: ${lineOf(new Error(`It is ${ALL}`))}`);
      const code = await io.run(['sessions', 'show', ALL]);
      return `${code} ${io.err()}`;
    },
    has: 'triad: It is ',
  },
  'the doctor': { read: (run) => doctor(run, []), has: 'gives no list' },
  'the doctor in JSON': { read: (run) => doctor(run, ['--json']), has: 'gives no list' },
};

/** So that the next test finds nothing known. */
function forgetting(...sources: string[]): void {
  onTestFinished(() => {
    knowPatterns([]);
    for (const source of ['environment', 'MCP servers', ...sources]) knowSecrets(source, []);
  });
}

test('no output contains a planted secret, and the history is unchanged', async () => {
  forgetting();
  const run = await planted();
  const found: string[] = [];
  for (const [sink, { read, has }] of Object.entries(SINKS)) {
    const told = await read(run);
    expect(told, sink).toContain(has);
    expect(told, sink).toContain('[redacted');
    for (const [what, secret] of Object.entries(SECRETS)) if (told.includes(secret)) found.push(`${what} in ${sink}`);
  }
  expect(found).toEqual([]);

  const { engine, workflowId } = run;
  const { workflow } = await engine.runtime.request('workflow.get', { workflowId });
  const entries = JSON.stringify(await engine.runtime.request('run.entries', { runId: workflow.runId }));
  const whole = [workflow.prompt, entries, await exported(run, 'json', true), await exported(run, 'md', true)];
  for (const text_ of whole) for (const secret of Object.values(SECRETS)) expect(text_).toContain(secret);
  // What the model is told is not changed either.
  expect(JSON.stringify(engine.model.requests.at(-1)?.body)).toContain(SECRETS['a kept key']);
});

const [KEPT, MARK] = [SECRETS['a kept key'], SECRETS["the person's pattern"]];

async function homeWith(files: Record<string, string>): Promise<string> {
  forgetting('kept: secrets.json');
  const kept = JSON.stringify({ 'other.key': JSON.stringify({ apiKey: KEPT, address: 'http://127.0.0.1:9' }) });
  return folderWith({ 'secrets.json': kept, 'config.toml': `${MARKED}\n`, ...files });
}

test('a process that only joins the owner redacts known secrets', async () => {
  const home = await homeWith({});
  const signal = AbortSignal.abort(new Error('Stopped before anybody was found'));
  const joining = connectTo({ env: { TRIAD_HOME: home, ...ENV }, folder: home }, { works: false, signal });
  await expect(joining).rejects.toThrow('Stopped before');
  expect(redact([KEPT, MARK, SECRETS['a variable that the person names']].join())).toBe(
    '[redacted: known key],[redacted],[redacted: known key]',
  );
});

test('redacts a secret in an error of the start', async () => {
  const home = await homeWith({});
  const env = { TRIAD_HOME: home, TRIAD_STORE: `rocksdb:///dev/null/${MARK}/store`, ...ENV };
  const opening = connectTo({ env, folder: home }, { works: false });
  await expect(opening).rejects.toThrow('/dev/null/[redacted]/store cannot be written');
});

test.for(['check', 'config validate', 'agents validate'].flatMap((command) => [command, `${command} --json`]))(
  '%s reports mistakes without the secrets in them',
  async (line) => {
    const wrong = `---\nname: one\ndescription: d\nprovider: ${KEPT}\nmodel: ${MARK}\n---\n\nWork.\n`;
    const home = await homeWith({ 'agents/one.md': wrong });
    const triad = commandLine(memoryClient(), { env: { TRIAD_HOME: home, HOME: home }, folder: home });
    const { code, out, err } = await triad(...line.split(' '));
    expect(code).toBe(1);
    expect(out).toContain('[redacted');
    expect(out + err).not.toMatch(new RegExp(`${KEPT}|${MARK}`));
  },
);
