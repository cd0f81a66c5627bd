/** Checks the store and the provider through the runtime itself: opened here, or asked from the process that owns it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppState } from '#contract/app-state.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import type { Folders } from '#core/settings/folders.ts';
import type { Connected } from '#core/hosting/connect-or-own.ts';
import { findOwner } from '#core/hosting/ownership.ts';
import { causeOf, type Finding, ok, problem, warning } from './finding.ts';
import { size } from './folders.ts';

const PATIENCE_MS = 5000;

export interface RuntimeFindings {
  store: Finding;
  /** Null where the runtime could not be had. */
  app: AppState | null;
  /** What the look at the history found. */
  more: Finding[];
  /** The models of the endpoint, which the runtime asks with the key. */
  models: Finding[];
  servers: Finding[];
}

/**
 * `connect` opens the store where nobody else has it; `history` looks at what is in it, `servers` tries what the runtime
 * starts; what is wrong in the settings file was told before.
 */
export async function checkStore(
  { data }: Folders,
  {
    connect,
    history,
    servers,
    settingsFit,
    isRemote = false,
  }: {
    connect: () => Promise<Connected>;
    history: (client: Client, signal: AbortSignal) => Promise<Finding[]>;
    servers: (client: Client, signal: AbortSignal) => Promise<Finding[]>;
    settingsFit: boolean;
    /** Whether the store is on a server: the folder then says nothing of it. */
    isRemote?: boolean;
  },
  signal: AbortSignal,
): Promise<RuntimeFindings> {
  const folder = join(data, 'store');
  try {
    const connected = await connect();
    try {
      const app = await connected.client.request('app.state', {});
      const owner = connected.owner ? null : await findOwner(data, signal);
      const who = owner === null ? 'opens' : `in use by pid ${owner.pid}, which answers`;
      const lost = await look(connected.client);
      const more = await history(connected.client, signal);
      const models = app.provider.kind === 'demo' || !app.provider.ready ? [] : [await checkModels(connected.client)];
      const where = isRemote ? 'on its server' : `${await versionOf(folder)}, ${size(await sizeOf(folder))}`;
      const text = `${who}; ${where}`;
      const damage = `a part of it cannot be read, ${lost} sessions and workflows stand in no list; ${text}`;
      return {
        app,
        more,
        models,
        servers: await servers(connected.client, signal),
        store: lost === 0 ? ok('store', text) : problem('store', damage, DAMAGED),
      };
    } finally {
      await connected.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = errorInfo(error);
    if (code === 'not_allowed') return { ...NOTHING, store: warning('store', 'not looked at', message) };
    if (code === 'bad_input' && !settingsFit)
      return { ...NOTHING, store: warning('store', 'not looked at', 'put the settings right first') };
    return { ...NOTHING, store: problem('store', `${code}: ${message}`, ADVICE[code] ?? 'see the message') };
  }
}

const NOTHING = { app: null, more: [], models: [], servers: [] };

/** Asks for the list, which is kept: names of models are held against it from then on. */
async function checkModels(client: Client): Promise<Finding> {
  const { address, models, at, fault } = await client.request('provider.models', {});
  const advice = 'set models.default, or its alias, to one that is there';
  if (fault !== null) return problem('models', `the default model ${fault}`, advice);
  if (models === null) return ok('models', `${address} gives no list: names of models are not checked`);
  return ok('models', `${models.length} at ${address}, as of ${at ?? 'now'}`);
}

/** Begins to read as a person would, and rejects where that fails. Returns how many no list has. */
async function look(client: Client): Promise<number> {
  const { items } = await client.request('conversation.list', { limit: 1 });
  for (const { id } of items) await client.request('conversation.snapshot', { conversationId: id });
  const { conversations, workflows } = await client.request('store.unlisted', {});
  return conversations + workflows;
}

const DAMAGED = '"triad doctor --full" says what is missing; "triad restore DIR" puts a backup back';

const ADVICE: Readonly<Record<string, string>> = {
  store_locked: 'end the other program that uses it',
  store_unwritable: 'check owner, permissions and free space of the folder',
  store_failed: 'do what the message says; "triad restore DIR" puts a backup back',
  bad_input: 'correct what the message names',
  conflict: 'do what the message says',
};

export async function checkProvider(app: AppState, signal: AbortSignal): Promise<Finding[]> {
  const { kind, keySource, keyElsewhere, ready, baseUrl, baseUrlSource } = app.provider;
  if (kind === 'demo') return [ok('provider', 'the demo model: scripted and offline')];
  const from = { environment: 'from ANTHROPIC_API_KEY', store: 'kept with the keys', none: 'none' }[keySource];
  const key = ready
    ? ok('key', keySource === 'none' ? 'none, and none is needed for a server on this machine' : from)
    : problem(
        'key',
        keyElsewhere?.what ?? 'none is set up',
        keyElsewhere?.remedy ?? 'enter one in the settings of the app, or set ANTHROPIC_API_KEY',
      );
  const url = baseUrl ?? 'https://api.anthropic.com';
  const named = `${url} (${baseUrlSource})`;
  return [key, await reach(url, named, signal)];
}

/** Without a key: the list of models costs nothing, and the refusal of it says as much. */
async function reach(url: string, named: string, signal: AbortSignal): Promise<Finding> {
  try {
    const late = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${url.replace(/\/+$/, '')}/v1/models`, {
      headers: { 'anthropic-version': '2023-06-01' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    });
    await response.body?.cancel();
    if (response.ok || response.status === 401) return ok('endpoint', `${named} is reachable`);
    const text = `${named} answers, but not like a compatible endpoint (${response.status} to GET /v1/models)`;
    return warning('endpoint', text, 'check the address; "Test" in the settings of the app asks the model');
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const text = `${named} does not answer (${causeOf(cause)})`;
    return problem('endpoint', text, 'check the network, a proxy, and the address in the settings');
  }
}

async function versionOf(folder: string): Promise<string> {
  const text = await readFile(`${folder}.schema-version`, 'utf8').catch(() => '');
  return text.trim() === '' ? 'schema version unknown' : `schema version ${text.trim()}`;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size: bytes }) => bytes,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
