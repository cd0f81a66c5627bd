/** Runs one command of an agent to its end, and leaves nothing of it behind. */
import { type ChildProcess, spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../../base/child-environment.ts';
import { TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { type Stopped, stopOf } from '../../base/stop.ts';
import type { Workspace } from '../reach.ts';
import { withRoot } from '../roots.ts';
import { STATUS_FD } from './bubblewrap.ts';
import { CommandProcesses, type RunningCommands } from './command-processes.ts';
import { commandEnvironment } from './environment.ts';
import { releaseCommand } from './held-command.ts';
import { MARKER } from './leftovers.ts';
import { type Output, OutputKeeper } from './output.ts';
import { findProgram } from './programs.ts';
import type { CommandOptions, Launch, Sandbox, Writable } from './sandbox.ts';
import { saidOf, scriptOf, startFolder, workingFolder } from './working-folder.ts';
import { close, constants, open } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

export interface ShellCommand {
  command: string;
  workspace: Workspace;
  /** Where it begins: where the run's last command ended, or the workspace's folder. */
  folder: string;
  /** Where its question said that it begins, relative to the workspace folder: it begins nowhere else. Null where there was none. */
  saidIn: string | null;
  /** Null: the command may do whatever the person may. */
  sandbox: Sandbox | null;
  network: boolean;
  /** In a sandbox; without one it can write everything. */
  write: Writable;
  /** Of this program; the command gets what is no secret and no door. */
  env: Environment;
  options: CommandOptions;
  /** Gets the output; nothing may be there yet. A pipe of the same name and `.pipe` is there for a moment. */
  file: string;
  /** The most that the file gets. */
  fileBytes: number;
  /** The most of the output that the result holds. */
  resultBytes: number;
  timeoutMs: number;
  /** Between the question to end and the end. */
  graceMs: number;
  signal: AbortSignal;
  running: RunningCommands;
  /** As it comes; `bytes`: of all so far. A throw ends the command and is thrown on. */
  onOutput: (text: string, bytes: number) => void;
}

export interface ShellResult {
  /** Of the shell; 128 and a number more where a signal ended a process of a sandbox. Null where a signal ended the shell. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  /** Why it was ended before its time; its output until then is here all the same. */
  stopped: Stopped | null;
  output: Output;
  /** Where the next command begins. */
  folder: string;
  /** The shell's folder, here or at the start, was outside or is gone; the workspace's is used. */
  folderReset: boolean;
}

/** How long output may come after the last process has ended. */
const DRAIN_MS = 2000;
/** How what makes the sandbox begins when it says why it cannot; a command that runs said so before. */
const SANDBOX_FAULT = /^(bwrap|sandbox-exec): /;
/** How often a sandbox that could not be made is made again. */
const TRIES = 2;
const SAID_BYTES = 16_384;
/** The most that Linux takes as one argument, less what goes before the command. */
const COMMAND_BYTES = 131_072 - 1024;

/** Throws the signal's reason where it is aborted already, `bad_input` for a command that cannot be started, `not_found` where there is no shell, `internal` where the sandbox failed, `conflict` as `startFolder` does, and what `Sandbox.launch` throws. */
export async function runShell(asked: ShellCommand): Promise<ShellResult> {
  const { command, workspace, signal } = asked;
  if (signal.aborted) throw stopOf(signal);
  refuseCommand(command);
  await withRoot(workspace, () => Promise.resolve());
  const { folder: start, isReset } = await startFolder(asked);
  for (let left = TRIES; ; left -= 1) {
    const { output, said, fault, ...ended } = await runOnce(asked, start);
    const { hasRun, folder } = saidOf(said);
    const isFault = !hasRun && asked.sandbox !== null && (fault !== null || SANDBOX_FAULT.test(output.head));
    if (!isFault) {
      const next = await workingFolder(workspace, folder ?? start);
      return { ...ended, output, folder: next.folder, folderReset: next.isReset || isReset };
    }
    // What was to be hidden may be gone by now; nothing of the command ran.
    if (left === 0 || ended.stopped)
      throw new TriadError('internal', 'The sandbox could not be started', { detail: fault ?? output.head });
    await rm(asked.file);
  }
}

/** Throws `bad_input` for one that cannot be started. */
export function refuseCommand(command: string): void {
  if (command.includes('\0') || Buffer.byteLength(command) > COMMAND_BYTES)
    throw new TriadError('bad_input', `A command has at most ${COMMAND_BYTES} bytes, and no NUL character`);
}

async function runOnce(asked: ShellCommand, start: string): Promise<Ended & { output: Output }> {
  const launch = await prepareLaunch(asked, start);
  try {
    const keeper = await OutputKeeper.open(asked.file, asked.fileBytes, asked.resultBytes);
    const ended = await runLaunched(asked, launch, start, keeper).catch(async (error: unknown) => {
      await keeper.end();
      throw error;
    });
    const { rest, output } = await keeper.end();
    if (rest !== '') asked.onOutput(rest, keeper.bytes);
    return { ...ended, output };
  } finally {
    await launch.cleanUp();
  }
}

async function shellIn(env: Environment, workspace: Workspace): Promise<{ file: string; name: 'bash' | 'sh' }> {
  for (const name of ['bash', 'sh'] as const) {
    const file = await findProgram(name, env, workspace.folder);
    if (file !== null) return { file, name };
  }
  throw new TriadError('not_found', 'There is neither bash nor sh on this machine');
}

async function prepareLaunch(
  { sandbox, workspace, network, write, env, options }: ShellCommand,
  start: string,
): Promise<Launch | Plain> {
  if (sandbox) return sandbox.launch({ workspace, start, network, write, options }, env);
  const { cwd, close } = await openStart(workspace, start);
  const free = { descriptors: [], check: null, cleanUp: close };
  return { file: null, cwd, args: [], env: commandEnvironment(env, null, options.settings().env), ...free };
}

/** Without a sandbox. `cwd`: stays the folder that was checked, on Linux. */
type Plain = Omit<Launch, 'file'> & { file: null; cwd: string };

/** Opens the folder of a command without a sandbox. Throws `conflict` if another one has its path now. */
async function openStart(workspace: Workspace, start: string): Promise<{ cwd: string; close: () => Promise<void> }> {
  return withRoot(workspace, async ({ folder, entry: root }) => {
    if (!root) return { cwd: start, close: () => Promise.resolve() };
    const entry = await root.openBelow(relative(folder, start));
    if (!entry) throw new TriadError('conflict', `${start} was replaced while the command was started`);
    return { cwd: entry.through, close: () => entry.close() };
  });
}

interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  stopped: Stopped | null;
  /** On descriptor 3. */
  said: string;
  /** Reason for which the sandbox did not start the command; null if it did. */
  fault: string | null;
}

async function runLaunched(
  asked: ShellCommand,
  launch: Launch | Plain,
  start: string,
  keeper: OutputKeeper,
): Promise<Ended> {
  const { sandbox, graceMs, running, onOutput } = asked;
  const { child, mark, pipe } = await started(asked, launch, start);
  // Before anything else is waited for: a command may end at once.
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  exited.catch(() => {});
  const processes = new CommandProcesses(
    child,
    mark,
    sandbox?.endsAll ?? false,
    child.stdio[STATUS_FD] as Readable | null,
  );
  const released = releaseCommand(child, launch.check);
  released.catch(() => {});
  const leave = running.add(processes);
  const said = collected(child.stdio[3] as Readable | null);
  const ending = commandEnding(processes, asked);
  try {
    await pipe.handedOver();
    const pumped = pump(pipe.reading, keeper, onOutput);
    pumped.catch(() => ending.end());
    const [exitCode, signal] = await exited.catch((error: unknown) => throwUnstarted(error));
    ending.settle();
    await processes.clear(graceMs);
    await within(DRAIN_MS, pumped);
    return { exitCode, signal, ...ending.reason(), said: said(), fault: await released };
  } finally {
    ending.settle();
    leave();
    for (const stream of [pipe.reading, ...child.stdio]) stream?.destroy();
  }
}

/** The caller listens to the child at once, and then hands the pipe over. `mark`: in the environment of what runs without a sandbox. */
async function started(
  { command, file, env, workspace }: ShellCommand,
  launch: Launch | Plain,
  start: string,
): Promise<{ child: ChildProcess; mark: string; pipe: OutputPipe }> {
  const shell = await shellIn(env, workspace);
  const options = shell.name === 'bash' ? ['--noprofile', '--norc'] : [];
  const words = [...launch.args, shell.file, ...options, '-c', scriptOf(command, shell.name), shell.name];
  const [program, args] = launch.file === null ? [words[0]!, words.slice(1)] : [launch.file, words];
  const mark = newId();
  const pipe = await outputPipe(`${file}.pipe`);
  const { writing } = pipe;
  const gate = launch.check === null ? 'ignore' : 'pipe';
  try {
    const child = spawn(program, args, {
      cwd: launch.file === null ? launch.cwd : start,
      env: { ...launch.env, [MARKER]: mark },
      detached: true,
      stdio: ['ignore', writing, writing, 'pipe', gate, gate, ...launch.descriptors],
    });
    return { child, mark, pipe };
  } catch (error) {
    pipe.reading.destroy();
    await pipe.handedOver();
    return throwUnstarted(error);
  }
}

function throwUnstarted(error: unknown): never {
  throw new TriadError('internal', 'The shell could not be started', { cause: error, detail: String(error) });
}

async function pump(
  from: AsyncIterable<Buffer>,
  keeper: OutputKeeper,
  onOutput: ShellCommand['onOutput'],
): Promise<void> {
  for await (const chunk of from) {
    const text = await keeper.add(chunk);
    if (text !== '') onOutput(text, keeper.bytes);
  }
}

/** Gives the text that came so far, of which only the first part is kept. */
function collected(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < SAID_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Settles like the work, or resolves when it takes longer. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([work, wait(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  } finally {
    timer.abort();
  }
}

interface CommandEnding {
  /** Asks its processes to end, and ends them after the grace. */
  end(): void;
  /** Nothing ends it any more: it has ended. */
  settle(): void;
  /** What came first, if anything. */
  reason(): { timedOut: boolean; stopped: Stopped | null };
}

/** Ends a command before its time: when its time is up, or when its run is stopped. */
function commandEnding(
  processes: CommandProcesses,
  { timeoutMs, graceMs, signal }: { timeoutMs: number; graceMs: number; signal: AbortSignal },
): CommandEnding {
  let reason: { timedOut: boolean; stopped: Stopped | null } = { timedOut: false, stopped: null };
  let grace: NodeJS.Timeout | null = null;
  const end = (): void => {
    if (grace) return;
    clearTimeout(time);
    processes.terminate();
    grace = setTimeout(() => processes.kill(), graceMs);
  };
  const onTime = (): void => {
    reason = { timedOut: true, stopped: null };
    end();
  };
  const onAbort = (): void => {
    if (!grace) reason = { timedOut: false, stopped: stopOf(signal) };
    end();
  };
  const time = setTimeout(onTime, timeoutMs);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    end,
    settle() {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(time);
      if (grace) clearTimeout(grace);
    },
    reason: () => reason,
  };
}

interface OutputPipe {
  /** Ends when nothing is left that could write. */
  readonly reading: Socket;
  /** The descriptor for the command. */
  readonly writing: number;
  /** Closes `writing` here; to be called once, as soon as the command has it. */
  handedOver: () => Promise<void>;
}

/** A pipe for what a command writes: Node's own are sockets, which nobody can open by `/dev/stdout`. `path`: where nothing is; nothing is there afterwards either. */
async function outputPipe(path: string): Promise<OutputPipe> {
  await promisify(execFile)('mkfifo', ['-m', '600', path]);
  const opened = promisify(open);
  try {
    // Without waiting for the other end.
    const reading = await opened(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const writing = await opened(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    const socket = new Socket({ fd: reading, readable: true, writable: false });
    return { reading: socket, writing, handedOver: () => promisify(close)(writing) };
  } finally {
    await rm(path, { force: true });
  }
}
