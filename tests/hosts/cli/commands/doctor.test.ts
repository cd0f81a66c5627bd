/** `triad doctor`: a line for each thing, also where the store cannot be had; exit code 1 where work is not possible. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '#contract/app-state.ts';
import type { Missing } from '#contract/missing.ts';
import { TriadError } from '#core/base/errors.ts';
import type { ArchiveCheck } from '#contract/history/archive-methods.ts';
import type { JournalCheck, JournalState } from '#contract/history/journal-methods.ts';
import { checkArchive } from '#hosts/cli/commands/doctor/archive.ts';
import { checkGit } from '#hosts/cli/commands/doctor/program.ts';
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
  {
    missing = [],
    unlisted = null,
    journal = null,
    compared = null,
  }: {
    missing?: Missing[];
    unlisted?: string | null;
    journal?: JournalState | null;
    compared?: JournalCheck | null;
  } = {},
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
    'journal.state': () => journal,
    'journal.check': () => compared,
  });
  const io = memoryIo({ client, webRoot: home, env: { TRIAD_HOME: home } });
  const connect: typeof io.connect = (options) =>
    state instanceof TriadError ? Promise.reject(state) : io.connect(options);
  const code = await io.run(['doctor', ...args], { connect });
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

test.each(variations([200, 401]))(
  'exits with 0 if all is well (%i), also with warnings about optional things',
  async (status) => {
    const baseUrl = await endpoint(status);
    const { code, out, err } = await doctor(appState({ baseUrl }));
    expect([code, err]).toEqual([0, '']);
    for (const line of out.trim().split('\n')) expect(line).toMatch(/^(✓ ok|! warning) +[a-z ]+: ./);
    expect(out).toContain(`data folder: ${home}`);
    const ripgrep = RIPGREP === null ? '! warning ripgrep: not found' : `, at ${RIPGREP}\n`;
    expect(out).toContain(ripgrep);
    expect(out).toContain('✓ ok      key: from ANTHROPIC_API_KEY\n');
    expect(out).toContain(`endpoint: ${baseUrl} (environment) is reachable\n`);
  },
);

test('warns about a default model that the endpoint does not list, and names listed models', async () => {
  const { code, out } = await doctor(appState({ baseUrl: await endpoint(200) }), [], { unlisted: 'c' });
  expect(code).toBe(0);
  expect(out).toMatch(
    /! warning models: 2 at .*, but not the default model c; to do: set .*\.model to one of them, such as a, b,/,
  );
});

test('warns about an address that does not answer like a compatible endpoint', async () => {
  const { code, out } = await doctor(appState({ baseUrl: await endpoint(404) }));
  expect(code).toBe(0);
  expect(out).toMatch(/! warning endpoint: .* answers, but not like a compatible endpoint \(404 /);
});

test('reports a mistake in the settings once', async () => {
  await writeFile(join(home, 'config.toml'), '[limits]\nmax_concurrent = 99\n');
  const { code, out } = await doctor(new TriadError('bad_input', 'config.toml:2: limits.max_concurrent'));
  expect(code).toBe(1);
  expect(out.match(/limits\.max_concurrent/g)).toHaveLength(1);
  expect(out).toContain('! warning store: not looked at');
});

test('reports a missing key and an unreachable endpoint as problems, with advice', async () => {
  const { code, out } = await doctor(appState({ ready: false, keySource: 'none' }));
  expect(code).toBe(1);
  expect(out).toMatch(/✗ problem key: none is set up; to do: enter one .*\n✗ problem endpoint: .* does not answer/);
});

test('reports a key that belongs to another address, with advice', async () => {
  const keyElsewhere = { source: 'store', variable: null, of: 'A', to: 'B' } as const;
  const { code, out } = await doctor(appState({ ready: false, keySource: 'none', keyElsewhere }));
  expect(code).toBe(1);
  expect(out).toContain('key: The kept key belongs to A and is not sent to B; to do: enter the key of this endpoint');
});

test('works with a damaged store, invalid settings and keys that other users can read', async () => {
  await writeFile(join(home, 'config.toml'), '[limits]\nmax_concurrent = 99\n');
  await writeFile(join(home, 'secrets.json'), '{}');
  await chmod(join(home, 'secrets.json'), 0o644);
  const { code, out } = await doctor(new TriadError('store_failed', 'The store is damaged'), ['--json']);
  const findings = JSON.parse(out) as { state: string; advice: string | null }[];
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
  'reports with a chmod command that other users may write %s',
  async (file, name, mends) => {
    const path = join(home, file);
    await writeFile(path, file.endsWith('.toml') ? '' : '{}');
    await chmod(path, 0o666);
    const { code, out } = await doctor(new TriadError('not_allowed', 'Others may write it'), ['--json']);
    expect(code).toBe(1);
    const state = 'problem';
    expect((JSON.parse(out) as { state: string }[]).filter((one) => one.state === state)).toEqual([
      { name, state, text: `Others may write ${path} (mode 0666)`, advice: `run "chmod ${mends} ${path}"` },
    ]);
  },
);

test('reports no problem for the demo provider without key and network', async () => {
  const { code, out } = await doctor(appState({ name: 'demo', type: 'demo', keySource: 'none' }));
  expect(code).toBe(0);
  expect(out).toContain('provider: the demo model: scripted and offline\n');
});

test('--full checks the history and reports missing events as a problem', async () => {
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

test('--full names the differences between the store and the archive', async () => {
  const ids = [conversationId, '0198c0de-0000-7000-8000-00000000000a'];
  const check = {
    events: 30,
    notArchived: [],
    notStored: [],
    different: [],
    damagedParts: 0,
    file: '/data/archive/a.gz',
  };
  const compare = async (archived: readonly string[], found: Partial<ArchiveCheck>) => {
    const client = memoryClient({
      'store.conversations': () => [conversationId],
      'archive.conversations': () => [...archived],
      'archive.check': () => ({ ...check, ...found }),
    });
    return (await checkArchive(client, new AbortController().signal)).map(({ state, text }) => `${state}: ${text}`);
  };
  expect(await compare([conversationId], {})).toEqual(['ok: 1 sessions, 30 events: as in the store']);
  expect(await compare(ids, {})).toEqual([`problem: the store lacks 1 of 2 sessions in the archive: ${ids[1]}`]);
  const ranges = [
    { from: 3, to: 5 },
    { from: 9, to: 9 },
  ];
  expect(await compare([conversationId], { notStored: ranges, different: ranges, notArchived: ranges })).toEqual([
    `problem: session ${conversationId}: the store lacks events 3–5, 9`,
    `problem: session ${conversationId}: events 3–5, 9 differ in the store and the archive`,
    `warning: session ${conversationId}: the archive lacks events 3–5, 9`,
  ]);
  expect(await compare([conversationId], { damagedParts: 2, notArchived: ranges })).toEqual([
    'warning: /data/archive/a.gz has 2 damaged parts',
  ]);
});

test('--full warns that the archive cannot be read, and continues', async () => {
  const client = memoryClient({
    'archive.conversations': () => {
      throw new TriadError('internal', 'EACCES: permission denied');
    },
  });
  expect(await checkArchive(client, new AbortController().signal)).toMatchObject([
    { state: 'warning', text: 'it cannot be read: EACCES: permission denied' },
  ]);
});

test('reports whether the journal belongs to the store, and how much is not yet in the database', async () => {
  const app = appState({ baseUrl: await endpoint(200) });
  const journal = { isOwn: true, replayed: 0, waiting: 0, waitingBytes: 0 };
  const compared = { events: 7, notStored: [], different: [], isDamaged: false };
  const quiet = await doctor(app, [], { journal, compared });
  expect(quiet.out).toContain('✓ ok      journal: it belongs to the store, all of it is in the database\n');
  expect(quiet.out).not.toContain('7 events');
  const busy = await doctor(app, [], { journal: { ...journal, replayed: 1, waiting: 3, waitingBytes: 5000 } });
  expect(busy.out).toContain(
    'journal: it belongs to the store, 3 records (5 KB) are not yet in the database; the start added 1 record to the database\n',
  );
  const last = await doctor(app, [], { journal: { ...journal, waiting: 1, waitingBytes: 9 } });
  expect(last.out).toContain('1 record (1 KB) is not yet in the database\n');
  const foreign = await doctor(app, [], { journal: { ...journal, isOwn: false } });
  expect(foreign.code).toBe(1);
  expect(foreign.out).toContain('✗ problem journal: a file of it does not belong to this store');
});

test('--full names the differences between the journal and the store', async () => {
  const app = appState({ baseUrl: await endpoint(200) });
  const compared = { events: 7, notStored: [], different: [], isDamaged: false };
  expect((await doctor(app, ['--full'], { compared })).out).toContain('journal: 7 events in it: as in the store\n');
  const numbers = [{ conversationId, ranges: [{ from: 3, to: 4 }] }];
  const lost = await doctor(app, ['--full'], {
    compared: { ...compared, notStored: numbers, different: numbers, isDamaged: true },
  });
  expect(lost.code).toBe(1);
  expect(lost.out).toContain(`✗ problem journal: session ${conversationId}: the store lacks events 3–4`);
  expect(lost.out).toContain(`journal: session ${conversationId}: events 3–4 differ in the store and the journal`);
  expect(lost.out).toContain('! warning journal: a part of it cannot be read');
});

test('reports what git can undo, and warns if git is missing or does not work', async () => {
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
      name: 'git',
      state: 'warning',
      text,
      advice: expect.stringMatching(lost) as string,
    });
});

test('shows when the last verified backup was made, and why the daily one failed', async () => {
  expect((await doctor(appState({ ready: true }))).out).toMatch(/✓ ok +backups: there is no verified one\n/);
  const manifest = { format: 1, schema: 1, holds: null, bytes: 1, sha256: {} };
  for (const [name, madeAt, missing] of [
    ['daily-1', '2026-01-02T03:04:05.000Z', null],
    ['backup-2', '2026-01-03T03:04:05.000Z', '3 events'],
  ] as const) {
    await mkdir(join(home, 'backups', name), { recursive: true });
    await writeFile(join(home, 'backups', name, 'manifest.json'), JSON.stringify({ ...manifest, madeAt, missing }));
  }
  const last = 'the last verified one was made at 2026-01-02T03:04:05.000Z';
  expect((await doctor(appState({ ready: true }))).out).toContain(`backups: ${last}\n`);
  const state = { at: '2026-01-04T03:04:05.000Z', fault: 'The disk has too little room' };
  await writeFile(join(home, 'backups/daily.json'), JSON.stringify(state));
  expect((await doctor(appState({ ready: true }))).out).toMatch(
    `! warning backups: ${last}; the daily one failed: ${state.fault}; to do: run "triad backup"\n`,
  );
});
