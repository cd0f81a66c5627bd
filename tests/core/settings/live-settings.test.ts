/** Every setting is changed through the contract while the program runs, and changes what happens from then on. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SettingRow } from '#contract/view.ts';
import { keepDailyBackups } from '#core/host/ownership/daily-backups.ts';
import { type Backup, prune } from '#core/store/backups/backups.ts';
import { writeManifest } from '#core/store/backups/manifest.ts';
import { settingsOf } from '../../support/compose.ts';
import { type Harness, outcomes, startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, plainAnswer } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text, toolUse } from '../../support/fake-model/script.ts';
import { startFakeModel } from '../../support/fake-model/server.ts';
import { Gate } from '../../support/gate.ts';
import { sharedEngine } from '../../support/shared-engine.ts';
import { folderWith } from '../../support/workspace.ts';
import { ATTENTION_PROOFS, DESKTOP_PROOFS } from './attention-proofs.ts';
import { CONTEXT_PROOFS } from './context-proofs.ts';
import { EMBEDDINGS, PROVIDER_PROOFS } from './provider-proofs.ts';
import { ALLOWED, SEARCH_PROOFS } from './search-proofs.ts';
import { TELEMETRY_PROOFS } from './telemetry-proofs.ts';
import { UPDATE_PROOFS } from './update-proofs.ts';
import { settingAt } from '../../support/settings/setting-at.ts';

export interface Proof {
  value: SettingRow['value'];
  /** What else is set before. */
  before?: Readonly<Record<string, SettingRow['value']>>;
  script: () => Script;
  /** Needs a program of its own, with this in its file and these; default: one for all. */
  own?: {
    settings?: string;
    environment?: { apiKey?: string; baseUrl: undefined };
    isAttended?: boolean;
  };
  check: (engine: Harness) => Promise<void>;
}

const asked = (engine: Harness): string[] => engine.model.requests.map(({ body }) => body.model);

const spawn = (name: string): Block => toolUse('spawn_agent', { operation: 'spawn', name, prompt: `Do ${name}.` });

const README = { path: 'README.md', content: 'Changed.' };

/** One sub-agent, and the end. */
function oneSpawn(): Script {
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn('one')])
    .on({})
    .reply([text('Done.')]);
}

/** Looks at something new with every request, until it has no tools left. */
function restless(): Script {
  let turn = 0;
  return new Script()
    .on({ lastUser: /You have no tools any more/ })
    .reply([text('All that I have.')])
    .on({})
    .reply(() => [toolUse('list_directory', { path: './'.repeat((turn += 1)) })], {
      usage: { input: 1000, output: 10 },
    });
}

/** Two sub-agents; the first is answered only once the second has asked too. */
function together(): Script {
  const both = new Gate();
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([spawn('one'), spawn('two')])
    .on({ ...CHILD, prompt: /one/ })
    .reply([text('Report.')], { hold: both.at(0) })
    .on({ ...CHILD, prompt: /two/ })
    .reply(() => {
      both.open();
      return [text('Report.')];
    })
    .on(LEAD)
    .reply([text('Done.')]);
}

async function completes(engine: Harness): Promise<void> {
  expect((await engine.ask('Go')).outcome).toBe('completed');
}

/** The envelope of a lead that would start now: what a run makes of its envelope is tested where it does so. */
const wouldRun =
  (envelope: object): Proof['check'] =>
  async ({ runtime }) =>
    expect((await runtime.request('agents.preview', { agent: 'lead' })).envelope).toMatchObject(envelope);

/** Long before the usual number of requests. */
async function stopsEarly(engine: Harness): Promise<void> {
  const end = await engine.ask('Go');
  expect(end).toMatchObject({ outcome: 'budget_exceeded', text: 'All that I have.' });
  expect(engine.model.requests.length).toBeLessThanOrEqual(3);
}

/** Before it has asked even once. */
async function timesOut(engine: Harness): Promise<void> {
  expect((await engine.ask('Go')).outcome).toBe('timed_out');
  expect(engine.model.requests).toEqual([]);
}

const PROOFS: Readonly<Record<string, Proof>> = {
  'models.default': { value: 'haiku', script: plainAnswer, check: wouldRun({ model: 'claude-haiku-5-5' }) },
  'models.aliases.sonnet': { value: 'mine-1', script: plainAnswer, check: wouldRun({ model: 'mine-1' }) },
  'models.aliases.haiku': {
    value: 'mine-2',
    before: { 'models.default': 'haiku' },
    script: plainAnswer,
    check: wouldRun({ model: 'mine-2' }),
  },
  'models.aliases.opus': {
    value: 'mine-3',
    before: { 'models.default': 'opus' },
    script: plainAnswer,
    check: wouldRun({ model: 'mine-3' }),
  },
  'limits.max_sub_agents': {
    value: 1,
    script: () =>
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([spawn('one'), spawn('two')])
        .on({})
        .reply([text('Done.')]),
    check: async (engine) => {
      await completes(engine);
      expect(engine.of('run-start').map(({ agent }) => agent)).toEqual(['lead', 'one']);
      expect((await engine.runtime.request('app.state', {})).maxSubAgents).toBe(1);
    },
  },
  'limits.max_concurrent': {
    value: 2,
    before: { 'limits.max_concurrent': 1 },
    script: together,
    check: completes,
  },
  'limits.child_minutes': {
    value: 0.000001,
    script: oneSpawn,
    check: async (engine) => expect(outcomes(await engine.ask('Go'))).toEqual(['completed', 'timed_out']),
  },
  'limits.run.max_iterations': { value: 2, script: restless, check: wouldRun({ limits: { maxIterations: 2 } }) },
  'limits.run.max_tokens': {
    value: 1500,
    script: restless,
    check: wouldRun({ limits: { budget: { tokens: 1500 } } }),
  },
  'limits.run.max_cost_usd': {
    value: 0.003,
    script: restless,
    check: wouldRun({ limits: { budget: { costUsd: 0.003 } } }),
  },
  'limits.run.max_minutes': { value: 3, script: restless, check: wouldRun({ limits: { budget: { minutes: 3 } } }) },
  'limits.workflow.max_iterations': { value: 2, script: restless, check: stopsEarly },
  'limits.workflow.max_tokens': { value: 1500, script: restless, check: stopsEarly },
  'limits.workflow.max_cost_usd': { value: 0.003, script: restless, check: stopsEarly },
  'limits.workflow.max_minutes': { value: 0.000001, script: restless, check: timesOut },
  'limits.max_iterations_ceiling': {
    value: 2,
    before: { 'limits.run.max_iterations': 20 },
    script: restless,
    check: wouldRun({ limits: { maxIterations: 2 }, cut: [{ limit: 'maxIterations', wanted: 20, most: 2 }] }),
  },
  'limits.doom_loop_threshold': { value: 2, script: restless, check: wouldRun({ limits: { doomLoopThreshold: 2 } }) },
  'limits.inactivity_seconds': {
    value: 1,
    script: restless,
    check: wouldRun({ limits: { inactivityMs: 1000 } }),
  },
  'limits.approval_seconds': {
    value: 7,
    script: oneSpawn,
    check: async (engine) => {
      await completes(engine);
      expect(engine.of('approval-request')[0]?.approval.remainingMs).toBe(7000);
    },
  },
  'permissions.mode': {
    value: 'selective',
    script: () =>
      new Script()
        .on({ step: 1 })
        .reply([toolUse('write_file', { path: 'new.md', content: 'New.' }), toolUse('write_file', README)])
        .on({})
        .reply([text('Done.')]),
    check: async (engine) => {
      await completes(engine);
      expect(engine.of('run-queue')[0]?.envelope.approvalMode).toBe('selective');
      const decisions = engine.of('approval-decide').map(({ decision }) => decision.ruleId);
      expect(decisions).toEqual(['mode:selective', null]);
    },
  },
  'approvals.on_timeout': {
    value: 'approve',
    script: () =>
      new Script()
        .on({ step: 1 })
        .reply([toolUse('write_file', README)])
        .on({})
        .reply([text('Done.')]),
    check: async (engine) => {
      await completes(engine);
      expect(engine.of('approval-request')[0]?.approval.onTimeout).toBe('approve');
    },
  },
  ...PROVIDER_PROOFS,
  'providers.anthropic.max_concurrent': {
    value: 2,
    before: { 'providers.anthropic.max_concurrent': 1 },
    script: together,
    check: completes,
  },
  'providers.anthropic.base_url': {
    value: null,
    script: plainAnswer,
    own: { settings: 'providers.anthropic.base_url = "http://127.0.0.1:9"', environment: { baseUrl: undefined } },
    check: async (engine) => {
      const other = await startFakeModel(plainAnswer());
      onTestFinished(() => other.close());
      await engine.runtime.request('settings.set', { path: 'providers.anthropic.base_url', value: other.url });
      await completes(engine);
      expect([engine.model.requests.length, other.requests.length]).toEqual([0, 1]);
    },
  },
  ...SEARCH_PROOFS,
  ...CONTEXT_PROOFS,
  ...ATTENTION_PROOFS,
  ...DESKTOP_PROOFS,
  ...TELEMETRY_PROOFS,
  ...UPDATE_PROOFS,
  'sandbox.unix_sockets': {
    value: true,
    script: () =>
      new Script()
        .on({ step: 1 })
        .reply([
          toolUse('bash_online', {
            command: `"${process.execPath}" -e "require('net').createServer().listen('a.sock', () => process.exit(0))"`,
          }),
        ])
        .on({})
        .reply([text('Done.')]),
    check: async (engine) => {
      await completes(engine);
      expect(engine.of('tool-end').map(({ entry }) => entry.status)).toEqual(['completed']);
    },
  },
  'sessions.project': {
    value: true,
    script: plainAnswer,
    own: {},
    check: async (engine) => {
      await completes(engine);
      const { conversationId, runtime } = engine;
      const inProject = await runtime.request('conversation.project', { conversationId });
      expect(inProject.folder.startsWith(join(engine.folder, '.triad/sessions/'))).toBe(true);
      const names = ['metadata.json', 'session.md'];
      expect(await readdir(inProject.folder)).toEqual(names);
      // And back: it stands in one place only.
      await runtime.request('settings.set', { path: 'sessions.project', value: false });
      const inData = await runtime.request('conversation.project', { conversationId });
      expect(await readdir(inData.folder)).toEqual(names);
      expect(await readdir(join(engine.folder, '.triad/sessions'))).toEqual([]);
    },
  },
  'backups.keep': {
    value: 2,
    script: plainAnswer,
    check: async (engine) => {
      const { made, pruned } = await backUp(engine);
      await earlier(made, 2);
      const younger = await earlier(made, 1);
      expect((await pruned()).sort()).toEqual([younger, made.folder].sort());
    },
  },
  'backups.max_age_days': {
    value: 1,
    script: plainAnswer,
    check: async (engine) => {
      const { made, pruned } = await backUp(engine);
      await earlier(made, 48);
      expect(await pruned()).toEqual([made.folder]);
    },
  },
  'backups.daily': {
    value: false,
    script: plainAnswer,
    check: async ({ runtime, store }) => {
      let begun = 0;
      Object.assign(store, { beginBackup: () => Promise.reject(new Error(`begun ${(begun += 1)}`)) });
      const closed = new AbortController();
      const config = await folderWith({
        'backups/x': '',
        'store/CURRENT': '',
        'config.toml': 'backups.daily = false\n',
      });
      const ports = { data: config, config, client: runtime, warn: () => undefined, signal: closed.signal };
      await keepDailyBackups({ ...ports, times: { idle: 5, age: 60_000 } });
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(begun).toBe(0);
      await writeFile(join(config, 'config.toml'), 'backups.daily = true\n');
      await expect.poll(() => begun).toBe(1);
      closed.abort();
    },
  },
};

async function alone(script: Script, { settings = '', environment, isAttended = true }: NonNullable<Proof['own']>) {
  const configFolder = await folderWith({ 'config.toml': `${settings}\n` });
  const engine = await startEngine(script, {
    settings,
    configFolder,
    data: configFolder,
    isAttended,
    ...(environment ? { environment } : {}),
  });
  return { engine, configFolder };
}

/** As the command does it, but for the copy of the store. `pruned`: those that are left when older ones have gone. */
async function backUp({ runtime, store }: Harness): Promise<{ made: Backup; pruned: () => Promise<string[]> }> {
  const folder = join(await folderWith({ 'backups/backup-now/store/CURRENT': '' }), 'backups/backup-now');
  Object.assign(store, { beginBackup: () => Promise.resolve(folder) });
  const { partial, keep, maxAgeDays: days } = await runtime.request('backup.begin', {});
  const holds = { conversations: 1, workflows: 1, events: 1 };
  const made = { folder: partial, ...(await writeManifest(partial, { schema: 1, holds, missing: null })) };
  const pruned = async () => {
    await prune(join(made.folder, '../..'), made, 'backup', { keep, days });
    return (await readdir(dirname(made.folder))).map((name) => join(dirname(made.folder), name));
  };
  return { made, pruned };
}

/** A copy of the backup as if it had been made so many hours before. */
async function earlier({ folder }: Backup, hours: number): Promise<string> {
  const copy = `${folder}-${hours}`;
  await cp(folder, copy, { recursive: true });
  const manifest = join(copy, 'manifest.json');
  const said = JSON.parse(await readFile(manifest, 'utf8')) as Backup;
  const madeAt = new Date(Date.parse(said.madeAt) - hours * 3_600_000).toISOString();
  await writeFile(manifest, JSON.stringify({ ...said, madeAt }));
  return copy;
}

const shared = sharedEngine(`${ALLOWED}${EMBEDDINGS}`);
const savedIn = async (folder: string) => settingsOf(await readFile(join(folder, 'config.toml'), 'utf8'));

test('every setting has a test of its effect', async () => {
  const { runtime } = await shared.start(plainAnswer());
  const rows = await runtime.request('settings.list', {});
  expect(Object.keys(PROOFS).sort()).toEqual(rows.map(({ path }) => path).sort());
});

test.for(Object.entries(PROOFS))(
  'a change of %s takes effect while the program runs',
  async ([path, { value, before = {}, script, own, check }]) => {
    const { engine, configFolder } = own
      ? await alone(script(), own)
      : { ...shared, engine: await shared.start(script()) };
    const { runtime } = engine;
    const set = (key: string, to: SettingRow['value']) => runtime.request('settings.set', { path: key, value: to });
    const usual = await runtime.request('settings.list', {});
    try {
      for (const [key, said] of Object.entries(before)) await set(key, said);
      const rows = await set(path, value);
      const saved = await savedIn(configFolder);
      expect(rows.find((row) => row.path === path)?.value).toBe(value);
      expect(settingAt(saved, path)).toBe(value);
      await check(engine);
    } finally {
      // The next one finds what the file said.
      for (const { path: key, value: now } of await runtime.request('settings.list', {})) {
        const was = usual.find((row) => row.path === key);
        if (was?.value !== now) await set(key, was && was.value !== was.default ? was.value : null);
      }
    }
  },
);

test('a running workflow keeps the model that it started with', async () => {
  const held = new Gate();
  const script = new Script()
    .on({ step: 1 })
    .reply([toolUse('list_directory', {})], { times: 1, hold: held.at(1) })
    .on({})
    .reply([text('Done.')]);
  const engine = await startEngine(script, { configFolder: await folderWith({}) });
  const { workflowId } = await engine.send('Go');
  await held.reached;
  await engine.runtime.request('settings.set', { path: 'models.default', value: 'opus' });
  held.open();
  await engine.ended(workflowId);
  await engine.ask('Again');
  expect(asked(engine)).toEqual(['claude-sonnet-5-5', 'claude-sonnet-5-5', 'claude-opus-5-5']);
});

test('rejects an invalid value with the reason, and changes nothing', async () => {
  const configFolder = await folderWith({ 'config.toml': '# mine\n' });
  const { runtime } = await startEngine(plainAnswer(), { configFolder });
  const refused = (path: string, value: SettingRow['value']) =>
    expect(runtime.request('settings.set', { path, value })).rejects;
  await refused('limits.max_sub_agents', 4).toMatchObject({
    message: 'limits.max_sub_agents must be at most 3, not 4',
  });
  await refused('limits.max_sub_agents', 'many').toMatchObject({ code: 'bad_input' });
  await refused('models.default', 'sonet').toMatchObject({ code: 'bad_input' });
  await refused('limit', 1).toMatchObject({ code: 'bad_input' });
  expect(await savedIn(configFolder)).toEqual(settingsOf(''));
});

test('stores several concurrent changes', async () => {
  const configFolder = await folderWith({});
  const { runtime } = await startEngine(plainAnswer(), { configFolder });
  const names = ['sonnet', 'haiku', 'opus'] as const;
  await Promise.all(
    names.map((name) => runtime.request('settings.set', { path: `models.aliases.${name}`, value: `my-${name}` })),
  );
  expect((await savedIn(configFolder)).models.aliases).toEqual({
    sonnet: 'my-sonnet',
    haiku: 'my-haiku',
    opus: 'my-opus',
  });
});
