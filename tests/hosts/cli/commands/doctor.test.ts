/** `triad doctor`: a line for each thing, also where the store cannot be had; exit code 1 where work is not possible. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '#contract/app-state.ts';
import type { Missing } from '#contract/missing.ts';
import { TriadError } from '#core/base/errors.ts';
import { main } from '#hosts/cli/program.ts';
import { checkGit } from '#hosts/cli/commands/doctor/program.ts';
import type { Finding } from '#hosts/cli/commands/doctor/finding.ts';
import { conversationId } from '../../support/events.ts';
import { appStateOf, providerState } from '../../../support/providers/app-state.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo } from '../../support/memory-io.ts';
import { variations } from '../../../support/samples.ts';
import { RIPGREP } from '../../../support/searching.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'triad-doctor-'));
  await writeFile(join(home, 'index.html'), '<html></html>');
});
afterEach(() => rm(home, { recursive: true, force: true }));

function appState(rest: Partial<AppState['provider']>): AppState {
  const provider = providerState({ baseUrl: 'http://127.0.0.1:9', baseUrlSource: 'environment', ...rest });
  return appStateOf({ providers: [provider] });
}

async function doctor(
  state: AppState | TriadError,
  args: string[] = [],
  { missing = [], unlisted = null }: { missing?: Missing[]; unlisted?: string | null } = {},
) {
  const client = memoryClient({
    'app.state': () => state as AppState,
    'provider.models': () => ({
      address: 'http://127.0.0.1:9',
      models: ['a', 'b'],
      at: '2026-01-02T03:04:05Z',
      fault: null,
      unlisted,
    }),
    'store.conversations': () => [conversationId],
    'conversation.check': () => ({ workflows: 2, events: 30, missing }),
  });
  const io = memoryIo({ client, webRoot: home, env: { TRIAD_HOME: home } });
  const connect: typeof io.connect = (options) =>
    state instanceof TriadError ? Promise.reject(state) : io.connect(options);
  const code = await main(['doctor', ...args], { ...io, connect });
  await io.screen.flush();
  return { code, out: io.out(), err: io.err() };
}

async function endpoint(status: number): Promise<string> {
  const server = createServer(({ method, url }, response) =>
    response.writeHead(method === 'GET' && url === '/v1/models' ? status : 500).end(),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test.each(variations([200, 401]))('all is well (%i): exit code 0, whatever is only nice to have', async (status) => {
  const baseUrl = await endpoint(status);
  const { code, out, err } = await doctor(appState({ baseUrl }));
  expect([code, err]).toEqual([0, '']);
  for (const line of out.trim().split('\n')) expect(line).toMatch(/^(✓ ok|! warning) +[a-z ]+: ./);
  expect(out).toContain(`data folder: ${home}`);
  const ripgrep = RIPGREP === null ? '! warning ripgrep: not found' : `, at ${RIPGREP}\n`;
  expect(out).toContain(ripgrep);
  expect(out).toContain('✓ ok      key: from ANTHROPIC_API_KEY\n');
  expect(out).toContain(`endpoint: ${baseUrl} (environment) is reachable\n`);
});

test('a default model that the endpoint does not list is a warning, with those that it lists', async () => {
  const { code, out } = await doctor(appState({ baseUrl: await endpoint(200) }), [], { unlisted: 'c' });
  expect(code).toBe(0);
  expect(out).toMatch(
    /! warning models: 2 at .*, but not the default model c; to do: set .*\.model to one of them, such as a, b,/,
  );
});

test('an address that answers something else is a warning', async () => {
  const { code, out } = await doctor(appState({ baseUrl: await endpoint(404) }));
  expect(code).toBe(0);
  expect(out).toMatch(/! warning endpoint: .* answers, but not like a compatible endpoint \(404 /);
});

test('what is wrong in the settings is said once', async () => {
  await writeFile(join(home, 'config.toml'), '[limits]\nmax_concurrent = 99\n');
  const { code, out } = await doctor(new TriadError('bad_input', 'config.toml:2: limits.max_concurrent'));
  expect(code).toBe(1);
  expect(out.match(/limits\.max_concurrent/g)).toHaveLength(1);
  expect(out).toContain('! warning store: not looked at');
});

test('no key and no answer are in the way, with what to do', async () => {
  const { code, out } = await doctor(appState({ ready: false, keySource: 'none' }));
  expect(code).toBe(1);
  expect(out).toMatch(/✗ problem key: none is set up; to do: enter one .*\n✗ problem endpoint: .* does not answer/);
});

test('a key that belongs to another address is told with what to do', async () => {
  const keyElsewhere = { source: 'store', variable: null, of: 'A', to: 'B' } as const;
  const { code, out } = await doctor(appState({ ready: false, keySource: 'none', keyElsewhere }));
  expect(code).toBe(1);
  expect(out).toContain('key: The kept key belongs to A and is not sent to B; to do: enter the key of this endpoint');
});

test('it works where the store is locked or damaged, the settings are wrong and keys lie open', async () => {
  await writeFile(join(home, 'config.toml'), '[limits]\nmax_concurrent = 99\n');
  await writeFile(join(home, 'secrets.json'), '{}');
  await chmod(join(home, 'secrets.json'), 0o644);
  const { code, out } = await doctor(new TriadError('store_failed', 'The store is damaged'), ['--json']);
  const findings = JSON.parse(out) as Finding[];
  expect(code).toBe(1);
  expect(findings.filter(({ state }) => state === 'problem')).toMatchObject([
    { name: 'settings', text: expect.stringContaining('config.toml:2: limits.max_concurrent') as string },
    { name: 'store', text: 'store_failed: The store is damaged', advice: expect.any(String) as string },
    { name: 'key storage', advice: `run "chmod 600 ${join(home, 'secrets.json')}"` },
  ]);
  expect(findings.every(({ state, advice }) => (state === 'ok') === (advice === null))).toBe(true);
});

const OPEN_FILES = [
  ['config.toml', 'settings', 'go-w'],
  ['secrets.json', 'key storage', '600'],
  ['trust.json', 'data folder', 'go-w'],
  ['prices.toml', 'prices', 'go-w'],
  ['instance.json', 'data folder', 'go-w'],
  ['secrets.safe.json', 'key storage', '600'],
] as const;

test.runIf(process.getuid !== undefined).each(variations(OPEN_FILES, 3))(
  'that others may write %s is told with the command that mends it',
  async (file, name, mends) => {
    const path = join(home, file);
    await writeFile(path, file.endsWith('.toml') ? '' : '{}');
    await chmod(path, 0o666);
    const { code, out } = await doctor(new TriadError('not_allowed', 'Others may write it'), ['--json']);
    expect(code).toBe(1);
    const state = 'problem';
    expect((JSON.parse(out) as Finding[]).filter((one) => one.state === state)).toEqual([
      { name, state, text: `Others may write ${path} (mode 0666)`, advice: `run "chmod ${mends} ${path}"` },
    ]);
  },
);

test('the demo needs neither key nor network', async () => {
  const { code, out } = await doctor(appState({ name: 'demo', type: 'demo', keySource: 'none' }));
  expect(code).toBe(0);
  expect(out).toContain('provider: the demo model: scripted and offline\n');
});

test('--full looks at the history, and what is missing in it is a problem', async () => {
  const baseUrl = await endpoint(200);
  const quick = await doctor(appState({ baseUrl }));
  expect(quick.out).not.toContain(' history: ');
  const whole = await doctor(appState({ baseUrl }), ['--full']);
  expect(whole.code).toBe(0);
  expect(whole.out).toContain('history: looked at 1 sessions, 2 workflows, 30 events: nothing is missing');
  const lost: Missing = { kind: 'events', conversationId, workflowId: null, runId: null, count: 3, ranges: [] };
  const { code, out } = await doctor(appState({ baseUrl }), ['--full'], { missing: [lost] });
  expect(code).toBe(1);
  expect(out).toContain(
    `session ${conversationId}: 3 events missing; to do: restore a backup with "triad restore DIR"`,
  );
});

test('git: what can be undone with it, and what is lost without it or with one that does not work', async () => {
  const { out } = await doctor(appState({}));
  expect(out).toMatch(
    /^✓ ok {6}git: git version \S+ \(\/.+\/git\); what commands change in the sandbox can be undone$/m,
  );
  const nowhere = { file: () => Promise.resolve(null), run: () => Promise.reject(new Error('not asked')) };
  const broken = { file: () => Promise.resolve('/usr/bin/git'), run: () => Promise.reject(new Error('no')) };
  const lost = /; without it nothing that a command changes in files can be undone, /;
  for (const [git, text] of [
    [nowhere, 'not found'],
    [broken, '/usr/bin/git does not work (no)'],
  ] as const)
    expect(await checkGit(git)).toEqual({
      ...{ name: 'git', state: 'warning', text },
      advice: expect.stringMatching(lost) as string,
    });
});
