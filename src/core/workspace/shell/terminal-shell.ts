/** Runs one command of an agent to its end in a terminal of a client: live there, outside of the sandbox, and still bounded, recorded and ended by us. */
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { LentOutput } from '#contract/hosts/lent.ts';
import { TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { stopOf } from '../../base/stop.ts';
import { singleQuoted } from '../../base/text.ts';
import type { Lender } from '../lent/lenders.ts';
import { withRoot } from '../roots.ts';
import { commandEnvironment } from './environment.ts';
import { leftovers, MARKER } from './leftovers.ts';
import { OutputKeeper } from './output.ts';
import { findProgram } from './programs.ts';
import { refuseCommand, type ShellCommand, type ShellResult } from './shell-process.ts';
import { saidOf, scriptOf, startFolder, workingFolder } from './working-folder.ts';

/** What a client's terminal is asked to keep, in bytes. */
const TERMINAL_BYTES = 1024 * 1024;
/** How long the client has for what takes no time, in milliseconds. */
const ANSWER_MS = 10_000;
/** How often its output is looked at; a long one less often, in milliseconds for each byte. */
const LOOK_MS = 300;
const LOOK_MS_PER_BYTE = 1 / 1000;

interface InTerminal {
  terminal: Lender;
  /** Whose terminal it is. */
  call: { runId: string; toolCallId: string };
}

type Asked = Omit<ShellCommand, 'sandbox' | 'write' | 'network' | 'running'> & InTerminal;
type Ended = LentOutput<'terminal-wait'>;

/** Throws the signal's reason where it is aborted already, `bad_input`, `not_found` and `conflict` as `runShell` does, and what `Lender.call` throws. */
export async function runInTerminal(asked: Asked): Promise<ShellResult & { terminalId: string }> {
  const { terminal, workspace, signal, file } = asked;
  if (signal.aborted) throw stopOf(signal);
  refuseCommand(asked.command);
  await withRoot(workspace, () => Promise.resolve());
  const { folder: start, isReset } = await startFolder(asked);
  const mark = newId();
  const saidFile = `${file}.said`;
  const launch = await prepareLaunch(asked, start, mark, saidFile);
  const creating = terminal.call('terminal-create', launch, { signal, ms: ANSWER_MS });
  const { terminalId } = await creating.catch(async (error: unknown) => {
    // It may have begun all the same, under an id that nobody told us.
    await clear(mark);
    throw error;
  });
  try {
    const keeper = await OutputKeeper.open(file, asked.fileBytes, asked.resultBytes);
    const ended = await followed(asked, terminalId, keeper).catch(async (error: unknown) => {
      await keeper.end();
      throw error;
    });
    const { output } = await keeper.end();
    const { folder } = saidOf(await readFile(saidFile, 'utf8').catch(() => ''));
    const next = await workingFolder(workspace, folder ?? start);
    return { ...ended, output, terminalId, folder: next.folder, folderReset: next.isReset || isReset };
  } finally {
    await release(terminal, terminalId);
    await clear(mark);
    await rm(saidFile, { force: true });
  }
}

/** The environment is ours, as without a sandbox; of that of the client nothing is left. */
async function prepareLaunch(
  { command, env, options, workspace, call }: Asked,
  cwd: string,
  mark: string,
  saidFile: string,
) {
  const [envFile, shell] = await Promise.all([
    findProgram('env', env, workspace.folder),
    findProgram('bash', env, workspace.folder),
  ]);
  if (envFile === null || shell === null) throw new TriadError('not_found', 'There is no bash on this machine');
  const values = Object.entries({ ...commandEnvironment(env, null, options.settings().env), [MARKER]: mark });
  const script = `exec 3>${singleQuoted(saidFile)}; ${scriptOf(command, 'bash')}`;
  return {
    command: envFile,
    args: ['-i', ...values.map(([name, value]) => `${name}=${value}`), shell, '--noprofile', '--norc', '-c', script],
    cwd,
    outputBytes: TERMINAL_BYTES,
    ...call,
  };
}

/** Follows it to its end, or ends it where its time is up or it is stopped. */
async function followed(
  { terminal, timeoutMs, graceMs, signal, onOutput }: Asked,
  terminalId: string,
  keeper: OutputKeeper,
): Promise<Pick<ShellResult, 'exitCode' | 'signal' | 'timedOut' | 'stopped'>> {
  const ask = { signal: new AbortController().signal, ms: ANSWER_MS };
  const over = new AbortController();
  const exited = terminal
    .call('terminal-wait', { terminalId }, { ...ask, ms: timeoutMs + graceMs + ANSWER_MS })
    .finally(() => over.abort());
  exited.catch(() => undefined);
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const watching = watch(terminal, terminalId, AbortSignal.any([over.signal, until]), onOutput);
  watching.catch(() => undefined);
  const broken = watching.then(() => new Promise<never>(() => undefined));
  let ended: Ended | null = await Promise.race([exited, broken, aborted(until)]);
  const [timedOut, stopped] = [ended === null && !signal.aborted, signal.aborted ? stopOf(signal) : null];
  if (ended === null) {
    await terminal.call('terminal-kill', { terminalId }, ask);
    ended = await Promise.race([exited, wait(graceMs, null, { signal: over.signal }).catch(() => exited)]);
  }
  await watching;
  const { output, truncated } = await terminal.call('terminal-output', { terminalId }, ask);
  const text = `${truncated ? '[The beginning was not kept by the terminal.]\n' : ''}${plain(output)}`;
  await keeper.add(Buffer.from(text));
  const { exitCode = null, signal: by = null } = ended ?? {};
  return { exitCode, signal: by as NodeJS.Signals | null, timedOut, stopped };
}

/** Tells what is new in its output, until the signal aborts. */
async function watch(
  terminal: Lender,
  terminalId: string,
  until: AbortSignal,
  onOutput: ShellCommand['onOutput'],
): Promise<void> {
  for (let [known, pause] = ['', LOOK_MS]; !until.aborted;) {
    await wait(pause, undefined, { signal: until }).catch(() => undefined);
    if (until.aborted) return;
    const looked = terminal.call('terminal-output', { terminalId }, { signal: until, ms: ANSWER_MS });
    const { output } = await looked.catch((error: unknown) => {
      if (until.aborted) return { output: known };
      throw error;
    });
    const now = plain(output);
    const fresh = now.startsWith(known) ? now.slice(known.length) : now;
    if (fresh !== '') onOutput(fresh, Buffer.byteLength(now));
    [known, pause] = [now, LOOK_MS + now.length * LOOK_MS_PER_BYTE];
  }
}

/** A client that has gone ends its terminals itself. */
async function release(terminal: Lender, terminalId: string): Promise<void> {
  const options = { signal: new AbortController().signal, ms: ANSWER_MS };
  await terminal.call('terminal-release', { terminalId }, options).catch(() => undefined);
}

/** What the command has left on this machine, as far as the system shows it; also where the client has not ended it. */
async function clear(mark: string): Promise<void> {
  for (const pid of await leftovers(-1, mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** A terminal ends lines in its own way. */
function plain(output: string): string {
  return output.replaceAll('\r\n', '\n');
}
