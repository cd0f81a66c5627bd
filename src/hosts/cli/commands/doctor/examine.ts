/** All checks of `triad doctor`; they also run where the store cannot be opened. */
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { redacted } from '#core/base/redact.ts';
import { checkConfiguration } from '#core/host/checks/check-configuration.ts';
import { folders } from '#core/settings/folders.ts';
import { Git } from '#core/workspace/git.ts';
import { type Finding, causeOf, problem } from './finding.ts';
import { checkArchive, checkJournal, compareJournal } from './archive.ts';
import { checkConfigFiles, checkFolders } from './folders.ts';
import { checkBackups, checkNotice } from './backups.ts';
import { checkHistory } from './history.ts';
import { checkMcp } from './mcp.ts';
import { checkGit, checkNode, checkRipgrep, checkSandbox, checkWindow } from './program.ts';
import { checkProviders, checkStore } from './runtime.ts';
import { checkStoreServer } from './store-server.ts';
import { checkTelemetry } from './telemetry.ts';
import { ownVersion } from '../../../version.ts';
import type { Io } from '../../terminal/io.ts';

/** `full`: also compares the whole history with archive and journal. Returns what the checks found, without secrets. */
export async function examineMachine(io: Io, full: boolean): Promise<Finding[]> {
  return redacted(await examine(io, full));
}

async function examine(io: Io, full: boolean): Promise<Finding[]> {
  const { env, webRoot, signal } = io;
  const runtime = checkNode(await ownVersion());
  const rest = await Promise.all([
    checkGit(new Git(env)),
    checkRipgrep(env),
    checkSandbox(env),
    checkWindow(env, webRoot),
  ]);
  const found = await folders(env).catch((error: unknown) =>
    problem(
      'data folder',
      `cannot be made (${causeOf(error)})`,
      'check owner and permissions of the folder above, or set TRIAD_HOME',
    ),
  );
  if ('state' in found) return [runtime, found, ...rest.flat()];
  const places = await checkFolders(found);
  const { settings, prices, keys } = await checkConfigFiles(found, await checkConfiguration(io));
  const server = await checkStoreServer(found, env, signal);
  const history = (client: Client) => checkStored(client, full, signal);
  // What keeps the server from answering is told once, and not waited for again.
  const isUnreachable = server.some(({ state }) => state === 'problem');
  const connect = async () => {
    if (isUnreachable) throw new TriadError('not_allowed', 'put the store server right first');
    return io.connect({ works: false });
  };
  const { folder } = io;
  const { store, app, more, models, servers } = await checkStore(
    found,
    {
      connect,
      history,
      servers: async (client) => [...(await checkMcp(client, { folder }, signal)), await checkTelemetry(client)],
      isRemote: server.length > 0,
      settingsFit: [settings, prices].every(({ state }) => state === 'ok'),
    },
    signal,
  );
  const provider = app === null ? [] : await checkProviders(app, signal);
  return [
    runtime,
    ...places,
    settings,
    prices,
    ...server,
    store,
    ...(server.length > 0 ? [] : [...checkNotice(found), await checkBackups(found)]),
    ...more,
    keys,
    ...provider,
    ...models,
    ...servers,
    ...rest.flat(),
  ];
}

async function checkStored(client: Client, full: boolean, signal: AbortSignal): Promise<Finding[]> {
  return [...(await checkJournal(client)), ...(full ? await checkAll(client, signal) : [])];
}

/** Checks the store, then compares it with archive and journal. */
async function checkAll(client: Client, signal: AbortSignal): Promise<Finding[]> {
  const history = await checkHistory(client, signal);
  return [...history, ...(await checkArchive(client, signal)), ...(await compareJournal(client))];
}
