/** Checks the store and the provider through the runtime itself: opened here, or asked from the process that owns it. */
import { keyElsewhereText } from '#contract/providers/key-elsewhere-text.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppState } from '#contract/app-state.ts';
import type { ProviderState } from '#contract/providers/provider.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import type { Folders } from '#core/settings/folders.ts';
import type { Connected } from '#core/host/ownership/connect-or-own.ts';
import { findOwner } from '#core/host/ownership/ownership.ts';
import { causeOf, type Finding, ok, problem, warning } from './finding.ts';
import { size } from './folders.ts';

const PATIENCE_MS = 5000;
/** Most names of models in one line. */
const NAMED = 5;

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
      const models = await checkAllModels(connected.client, app.providers);
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

/** Of the active provider, and of the others that were set up. */
async function checkAllModels(client: Client, providers: readonly ProviderState[]): Promise<Finding[]> {
  const asked = providers.filter((one) => one.type !== 'demo' && one.ready && isInUse(one));
  return Promise.all(asked.map((one) => checkModels(client, one)));
}

/** Asks for the list, which is kept: names of models are held against it from then on. */
async function checkModels(client: Client, { name, active, type }: ProviderState): Promise<Finding> {
  const { address, models, at, fault, unlisted } = await client.request('provider.models', { name });
  const what = active ? 'models' : `models of ${name}`;
  const setting = type === 'anthropic' ? 'models.default, or its alias,' : `providers.${name}.defaults.model`;
  if (fault !== null) return problem(what, `the default model ${fault}`, `set ${setting} to one that is there`);
  if (models === null) return ok(what, `${address} gives no list: names of models are not checked`);
  const found = `${models.length} at ${address}, as of ${at ?? 'now'}`;
  if (unlisted === null) return ok(what, found);
  const some = models.slice(0, NAMED).join(', ') + (models.length > NAMED ? ', …' : '');
  const advice = `set providers.${name}.defaults.model to one of them, such as ${some}, if it does not answer`;
  return warning(what, `${found}, but not the default model ${unlisted}`, advice);
}

/** Whether the person has set it up: one that comes with the program may be left as it is. */
const isInUse = ({ active, builtin, ready, keyElsewhere }: ProviderState): boolean =>
  active || !builtin || ready || keyElsewhere !== null;

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

/** Of the active provider its key and its address, and of each other that was set up what stands in its way. */
export async function checkProviders({ providers }: AppState, signal: AbortSignal): Promise<Finding[]> {
  const found = await Promise.all(providers.filter(isInUse).map((one) => checkProvider(one, signal)));
  return found.flat();
}

async function checkProvider(state: ProviderState, signal: AbortSignal): Promise<Finding[]> {
  const { name, type, active, keySource, keyElsewhere, keyEnv, ready, address, baseUrlSource } = state;
  if (type === 'demo') return active ? [ok('provider', 'the demo model: scripted and offline')] : [];
  const of = active ? '' : ` of ${name}`;
  const from = {
    environment: `from ${keyEnv ?? 'the environment'}`,
    store: 'kept with the keys',
    file: 'in the settings file, in the clear',
    none: 'none, and none is needed for a server on this machine',
  }[keySource];
  const set = `${keyEnv === null ? 'or ' : ''}use "triad config key ${name} < FILE"${keyEnv === null ? '' : `, or set ${keyEnv}`}`;
  const elsewhere = keyElsewhere && keyElsewhereText(keyElsewhere);
  // Without the active one nothing can be asked; another may be left for later.
  const tell = active ? problem : warning;
  const key = ready
    ? ok(`key${of}`, from)
    : tell(
        `key${of}`,
        elsewhere?.what ?? 'none is set up',
        elsewhere?.todo ?? `enter one in the settings of the app, ${set}`,
      );
  return [key, await reach(state, `${address} (${baseUrlSource})`, signal)];
}

/** Without a key: the list of models costs nothing, and the refusal of it says as much. */
async function reach(
  { name, active, type, address }: ProviderState,
  named: string,
  signal: AbortSignal,
): Promise<Finding> {
  const what = active ? 'endpoint' : `endpoint of ${name}`;
  const path = type === 'anthropic' ? '/v1/models' : '/models';
  try {
    const late = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(`${address}${path}`, {
      headers: { 'anthropic-version': '2023-06-01' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    });
    await response.body?.cancel();
    if (response.ok || response.status === 401) return ok(what, `${named} is reachable`);
    const text = `${named} answers, but not like a compatible endpoint (${response.status} to GET ${path})`;
    return warning(what, text, 'check the address; "Test" in the settings of the app asks the model');
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const text = `${named} does not answer (${causeOf(cause)})`;
    return (active ? problem : warning)(what, text, 'check the network, a proxy, and the address in the settings');
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
