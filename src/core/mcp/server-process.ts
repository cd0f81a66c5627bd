/** The process of a server: its group ends with it, with this program, and when it is closed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../base/child-environment.ts';
import { TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { STATUS_FD } from '../workspace/shell/bubblewrap.ts';
import { CommandProcesses } from '../workspace/shell/command-processes.ts';
import { releaseCommand } from '../workspace/shell/held-command.ts';
import { MARKER } from '../workspace/shell/leftovers.ts';
import { findProgram } from '../workspace/shell/programs.ts';
import type { Launch } from '../workspace/shell/sandbox.ts';
import type { ServerProgram, ServerStart, WorkspaceSandbox } from './server-start.ts';

/** Between the end of its input and the signals that follow, in milliseconds from the beginning of a close. */
const TERMINATE_MS = 300;
const KILL_MS = 2000;

/** What the watcher is given to end all that is left, in milliseconds, and the system to clear away what was killed. */
const CLEAR_MS = 2000;
const GONE_MS = 500;
const LOOK_MS = 5;

/** What a server gets of the environment of this program; all else is configured for it. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];
const INHERITED_ON_WINDOWS = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME'],
  ...['USERPROFILE', 'WINDIR'],
];

/**
 * Watches descriptor 3, whose other end only this program holds. At its end the script kills the group of the server, and
 * each process that left the group but has the mark in its environment. The arguments are the mark, the program `grep`, and
 * the program of the server. The watcher is no child of the server, ignores the signals that ask the group to end, and holds
 * none of the streams.
 */
const SCRIPT = `
( trap '' TERM HUP INT QUIT
  { read -r line <&3
    for file in $("$2" -ls "${MARKER}=$1" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      kill -KILL "\${file%/environ}"
    done
    kill -KILL 0
  } </dev/null >/dev/null 2>&1 & )
export ${MARKER}="$1"
shift 2
exec "$@" 3<&-`;

/** Maximum number of new sandboxes if one fails before the program starts. */
const TRIES = 2;
/** Shell that finds the program in the sandbox, with the variables of the server. */
const INNER_SHELL = ['/bin/sh', '-c', 'exec "$@"', 'sh'];

/** Words that start a program, and what they need. */
type ServerLaunch = Pick<Launch, 'env' | 'descriptors' | 'check' | 'cleanUp'> & {
  readonly words: readonly string[];
  /** True if all processes end with the first one. */
  readonly endsAll: boolean;
};

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #processes: CommandProcesses;
  readonly #launch: ServerLaunch;
  readonly #exited: Promise<void>;
  /** Resolves with null if the program started, else with the reason why its sandbox did not let it. */
  readonly #released: Promise<string | null>;
  /** Its other end is the watcher's; null where there is none. */
  readonly #lifeline: Socket | null;
  #closing: Promise<void> | null = null;
  #cleared: Promise<void> | null = null;

  private constructor(child: ChildProcess, mark: string, launch: ServerLaunch) {
    this.#child = child;
    this.#launch = launch;
    this.#released = releaseCommand(child, launch.check);
    this.#processes = new CommandProcesses(child, mark, launch.endsAll, child.stdio[STATUS_FD] as Readable | null);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    // The callback of each write reports the error.
    child.stdin?.on('error', () => undefined);
    this.#lifeline = child.stdio[3] as Socket | null;
    this.#lifeline?.on('error', () => undefined).resume();
  }

  /** Rejects with the error of the system for a missing folder, or with the error of the sandbox. */
  static async start({ program, env, confinedBy }: ServerStart): Promise<ServerProcess> {
    // Without its folder, the sandbox fails with another error.
    if (confinedBy) await access(program.cwd);
    // The watcher runs outside the sandbox, so it starts no program of the workspace.
    const grep = (await findProgram('grep', env, confinedBy?.workspace.folder ?? null)) ?? 'false';
    for (let left = TRIES; ; left -= 1) {
      const launch = await prepareLaunch(program, env, confinedBy);
      const server = await ServerProcess.#spawn(program, launch, grep);
      const fault = await server.#findFault();
      if (fault === null) return server;
      await server.ended();
      // A file that the sandbox hides may be deleted before it is mounted.
      if (left === 0) throw new TriadError('internal', fault);
    }
  }

  static async #spawn(program: ServerProgram, launch: ServerLaunch, grep: string): Promise<ServerProcess> {
    const isWindows = process.platform === 'win32';
    const mark = newId();
    const [file, args] = isWindows
      ? [program.command, [...program.args]]
      : ['/bin/sh', ['-c', SCRIPT, 'sh', mark, grep, ...launch.words]];
    const gate = launch.check === null ? 'ignore' : 'pipe';
    try {
      const child = spawn(file, args, {
        cwd: program.cwd,
        env: launch.env,
        detached: !isWindows,
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe', isWindows ? 'ignore' : 'pipe', gate, gate, ...launch.descriptors],
      });
      const server = new ServerProcess(child, mark, launch);
      await once(child, 'spawn');
      return server;
    } catch (error) {
      await launch.cleanUp();
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get stdin(): Writable {
    return this.#child.stdin!;
  }

  get stdout(): Readable {
    return this.#child.stdout!;
  }

  get stderr(): Readable {
    return this.#child.stderr!;
  }

  /** Resolves when it has ended by itself or was ended, with the end of a sentence that begins with the server, and nothing of its group is left. */
  async ended(): Promise<string> {
    await this.#exited;
    this.#cleared ??= this.#clear();
    await this.#cleared;
    const { exitCode, signalCode } = this.#child;
    const signal = signalCode ?? (this.#launch.endsAll ? findSignal(exitCode) : null);
    return signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  }

  /** Ends its input, asks it after 300 ms to end, and kills it after 2 s. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends it at once, and all of its group. */
  kill(): void {
    if (process.platform === 'win32') spawn('taskkill', ['/PID', String(this.pid), '/T', '/F'], { stdio: 'ignore' });
    else this.#processes.kill();
  }

  async #close(): Promise<void> {
    this.stdin.end();
    const timers = [
      setTimeout(() => this.#processes.terminate(), TERMINATE_MS),
      setTimeout(() => this.kill(), KILL_MS),
    ];
    await this.#exited;
    for (const timer of timers) clearTimeout(timer);
    await this.ended();
  }

  /** Returns why the sandbox did not start the program; null if it did. */
  async #findFault(): Promise<string | null> {
    const fault = await this.#released;
    const isOver = this.#child.exitCode !== null || this.#child.signalCode !== null;
    if (this.#launch.check === null || fault !== null || !isOver) return fault;
    return (await text(this.stderr)).trim().split('\n').at(-1) || 'it ended too early';
  }

  async #clear(): Promise<void> {
    await this.#clearGroup();
    // The group of the sandbox is not that of the watcher.
    if (this.#launch.endsAll) await this.#processes.clear(0);
    for (const stream of this.#child.stdio.slice(STATUS_FD)) stream?.destroy();
    await this.#launch.cleanUp();
  }

  /** Waits for the watcher, which kills the group and then closes its end. Kills the group if the watcher was killed. */
  async #clearGroup(): Promise<void> {
    const line = this.#lifeline;
    if (line === null) return;
    if (line.closed) return this.#processes.clear(0);
    line.end();
    await once(line, 'close', { signal: AbortSignal.timeout(CLEAR_MS) }).catch(() => this.#processes.clear(0));
    const until = performance.now() + GONE_MS;
    while (hasGroup(this.pid) && performance.now() < until) await wait(LOOK_MS);
  }
}

/** Also where all of it have ended and the system has not collected them yet, which some never do. */
function hasGroup(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** Returns how a program starts: in the sandbox, or with a small part of the environment. */
async function prepareLaunch(
  program: ServerProgram,
  env: Environment,
  confinedBy: WorkspaceSandbox | null,
): Promise<ServerLaunch> {
  const words = [program.command, ...program.args];
  if (confinedBy === null) {
    const cleanUp = () => Promise.resolve();
    return { words, env: serverEnvironment(env, program.env), endsAll: false, descriptors: [], check: null, cleanUp };
  }
  const { sandbox, workspace, options } = confinedBy;
  const confined = { workspace, start: program.cwd, network: true, write: 'files', options, env: program.env } as const;
  const { file, args, ...launch } = await sandbox.launch(confined, env);
  return { ...launch, endsAll: sandbox.endsAll, words: [file, ...args, ...INNER_SHELL, ...words] };
}

/** Returns the signal for the exit code of a sandbox, which is 128 plus the number of the signal. Null for other codes. */
function findSignal(exitCode: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode);
  return found?.[0] ?? null;
}

function serverEnvironment(env: Environment, own: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of process.platform === 'win32' ? INHERITED_ON_WINDOWS : INHERITED) {
    const value = env[name];
    // A function of a shell is code.
    if (value !== undefined && !value.startsWith('()')) kept[name] = value;
  }
  return { ...kept, ...own };
}
