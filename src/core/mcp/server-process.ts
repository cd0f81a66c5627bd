/** The process of a server: its group ends with it, with us, and when it is closed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../base/child-environment.ts';
import { newId } from '../base/ids.ts';
import { CommandProcesses } from '../workspace/shell/command-processes.ts';
import { MARKER } from '../workspace/shell/leftovers.ts';

/** Between the end of its input and the signals that follow, in milliseconds from the beginning of a close. */
const TERMINATE_MS = 300;
const KILL_MS = 2000;

/** What the watcher is given to end all that is left, in milliseconds, and the system to clear away what was killed. */
const CLEAR_MS = 2000;
const GONE_MS = 30;
const LOOK_MS = 2;

/** What a server gets of the environment of this program; all else is configured for it. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];
const INHERITED_ON_WINDOWS = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'USERNAME'],
  ...['USERPROFILE', 'WINDIR'],
];

/**
 * Watches descriptor 3, whose other end only this program holds: when that ends, in whatever way, all of the server's
 * group is killed, and what left the group but kept the mark in its environment. The watcher is no child of the server,
 * which so has only children of its own, ignores the signals that ask the group to end, and holds none of its streams.
 */
const SCRIPT = `
( trap '' TERM HUP INT QUIT
  { read -r line <&3
    for file in $(grep -ls "${MARKER}=$1" /proc/[0-9]*/environ); do
      file=\${file#/proc/}
      kill -KILL "\${file%/environ}"
    done
    kill -KILL 0
  } </dev/null >/dev/null 2>&1 & )
export ${MARKER}="$1"
shift
exec "$@" 3<&-`;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #processes: CommandProcesses;
  readonly #exited: Promise<void>;
  /** Its other end is the watcher's; null where there is none. */
  readonly #lifeline: Socket | null;
  #closing: Promise<void> | null = null;
  #cleared: Promise<void> | null = null;

  private constructor(child: ChildProcess, mark: string) {
    this.#child = child;
    this.#processes = new CommandProcesses(child, mark, false, null);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    // A write to what has ended is told by its callback.
    child.stdin?.on('error', () => undefined);
    this.#lifeline = child.stdio[3] as Socket | null;
    this.#lifeline?.on('error', () => undefined).resume();
  }

  /** `env`: that of this program. Rejects with the system's error where nothing can be started, such as in a folder that is not there. */
  static async start(program: Program, env: Environment): Promise<ServerProcess> {
    const isWindows = process.platform === 'win32';
    const mark = newId();
    const [file, args] = isWindows
      ? [program.command, [...program.args]]
      : ['/bin/sh', ['-c', SCRIPT, 'sh', mark, program.command, ...program.args]];
    const child = spawn(file, args, {
      cwd: program.cwd,
      env: serverEnvironment(env, program.env),
      detached: !isWindows,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe', isWindows ? 'ignore' : 'pipe'],
    });
    await once(child, 'spawn');
    return new ServerProcess(child, mark);
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
    return signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`;
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

  /** The watcher does it, and closes its end as it ends; where it was killed itself, we do. */
  async #clear(): Promise<void> {
    const line = this.#lifeline;
    if (line === null) return;
    if (line.closed) return this.#processes.clear(0);
    line.end();
    await once(line, 'close', { signal: AbortSignal.timeout(CLEAR_MS) }).catch(() => this.#processes.clear(0));
    const until = performance.now() + GONE_MS;
    while (hasGroup(this.pid) && performance.now() < until) await wait(LOOK_MS);
  }
}

/** Also where all of it have ended and nobody has collected them. */
function hasGroup(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
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
