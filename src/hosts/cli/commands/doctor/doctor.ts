/** `triad doctor`: what works on this machine and what does not, one line each; also where the store cannot be opened. */
import { TriadError } from '#core/base/errors.ts';
import { redacted } from '#core/base/redact.ts';
import { folders } from '#core/settings/folders.ts';
import { knowOwn } from '#core/settings/known-secrets.ts';
import { Git } from '#core/workspace/git.ts';
import { type Finding, causeOf, problem } from './finding.ts';
import { checkFolders, checkKeyFiles, checkPricesFile, checkSettingsFile } from './folders.ts';
import { checkHistory } from './history.ts';
import { checkMcp } from './mcp.ts';
import { checkGit, checkNode, checkRipgrep, checkSandbox, checkWindow } from './program.ts';
import { checkProviders, checkStore } from './runtime.ts';
import { checkStoreServer } from './store-server.ts';
import { checkTelemetry } from './telemetry.ts';
import { ownVersion } from '../../../version.ts';
import { EXIT } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';

/** Exit code 1 where something is in the way of work, or, with `full`, missing in the history. */
export async function doctor(io: Io, options: { json?: boolean; full?: boolean }): Promise<number> {
  const findings = redacted(await examine(io, options.full ?? false));
  if (options.json) io.screen.data(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) io.screen.data(`${lineOf(io, finding)}\n`);
  return findings.some(({ state }) => state === 'problem') ? EXIT.failure : EXIT.ok;
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
  await knowOwn(found.config, env);
  const [places, settings, prices, keys] = await Promise.all([
    checkFolders(found),
    checkSettingsFile(found),
    checkPricesFile(found),
    checkKeyFiles(found),
  ]);
  const server = await checkStoreServer(found, env, signal);
  const history = full ? checkHistory : () => Promise.resolve([]);
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
      ...{ connect, history },
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
    ...more,
    keys,
    ...provider,
    ...models,
    ...servers,
    ...rest.flat(),
  ];
}

const MARK = { ok: '✓', warning: '!', problem: '✗' } as const;
const INK = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

function lineOf({ screen }: Io, { name, state, text, advice }: Finding): string {
  const what = advice === null ? '' : `; to do: ${visible(advice)}`;
  return `${screen.dataStyle(INK[state], `${MARK[state]} ${state.padEnd(7)}`)} ${name}: ${visible(text)}${what}`;
}
