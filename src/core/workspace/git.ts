/** Runs git without questions, and without hooks and the file system monitor unless a call sets them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { buffer, text } from 'node:stream/consumers';
import type { Environment } from '../base/child-environment.ts';
import { TriadError } from '../base/errors.ts';
import { commandEnvironment } from './shell/environment.ts';
import { findProgram } from './shell/programs.ts';

/** After so long git counts as hanging, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Variables with which git reads no settings but those of its repository. */
export const WITHOUT_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Settings with which git starts no program for a command that needs none. */
const SAFE_SETTINGS = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
] as const;

/** Variables of the person that programs need to sign. */
const PERSONAL_VARIABLES = [
  'GNUPGHOME',
  'GPG_TTY',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
];

export interface GitCall {
  args: readonly string[];
  cwd: string;
  /** What it reads; nothing by default. */
  input?: string | Uint8Array;
  /** On top of a clean environment. */
  env?: Record<string, string>;
  /** After so long it is killed, in milliseconds. */
  timeoutMs?: number;
  /** Exit codes that are no failure. */
  accepts?: (code: number) => boolean;
  /** Settings that replace those of the repository. A key has no `=`. */
  settings?: readonly (readonly [key: string, value: string])[];
  /** True if the programs that git starts get the variables that signing needs. */
  isForPerson?: boolean;
}

export class Git {
  readonly #env: Environment;
  #file: Promise<string | null> | null = null;

  /** `env`: that of the program, of which git gets what is no secret and no door. */
  constructor(env: Environment) {
    this.#env = env;
  }

  /**
   * Returns each setting of a file, without those that it includes, as `KEY`, a line end and its value; null if git cannot
   * read them. `file`: its path, or `-` for `input`.
   */
  async listSettings(file: string, input: Uint8Array | string = ''): Promise<string[] | null> {
    const args = ['config', '--file', file, '--no-includes', '--list', '-z'];
    const output = await this.run({ args, cwd: '/', input }).catch(() => null);
    return output === null ? null : output.toString('utf8').split('\0').slice(0, -1);
  }

  /** Makes an empty repository without a work tree. */
  async initBareRepository(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.run({ args: ['init', '--quiet', '--bare', '--template=', folder], cwd: folder, env: WITHOUT_SETTINGS });
  }

  /** The program; null where there is none. Looked for once. */
  file(): Promise<string | null> {
    this.#file ??= findProgram('git', this.#env, null);
    return this.#file;
  }

  /** Returns its output. Throws `not_found` if git is not installed, `internal` with its errors, if any, if it fails. */
  async run({
    args,
    cwd,
    input = '',
    env = {},
    timeoutMs = TIMEOUT_MS,
    accepts = (code) => code === 0,
    settings = [],
    isForPerson = false,
  }: GitCall): Promise<Buffer> {
    const file = await this.file();
    if (file === null) throw new TriadError('not_found', 'git is not installed');
    const options = [...SAFE_SETTINGS, ...settings].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const child = spawn(file, [...options, ...args], {
      cwd,
      env: { ...this.#environment(isForPerson), ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: 'pipe',
    });
    // It may use every core for a moment: what a person looks at goes first.
    yieldTo(child.pid);
    const closed = once(child, 'close') as Promise<[number | null, string | null]>;
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [[code, signal], out, said] = await Promise.all([closed, buffer(child.stdout), text(child.stderr)]);
    if (code !== null && accepts(code)) return out;
    const end = child.killed ? `stopped after ${timeoutMs / 1000} s` : signal === null ? '' : `ended by ${signal}`;
    const detail = [said.trim(), end].filter(Boolean).join('\n');
    throw new TriadError('internal', `git ${args[0] ?? ''} failed`, detail === '' ? {} : { detail });
  }

  #environment(isForPerson: boolean): Record<string, string> {
    const base = settled(commandEnvironment(this.#env, null));
    if (!isForPerson) return { ...base, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
    const personal = PERSONAL_VARIABLES.flatMap((name) =>
      this.#env[name] === undefined ? [] : [[name, this.#env[name]] as const],
    );
    return { ...base, ...Object.fromEntries(personal) };
  }
}

/** Without what makes git use other places, write traces or run programs: a hook that started this program has set some. */
function settled(env: Record<string, string>): Record<string, string> {
  const isPlain = (name: string): boolean => !/^GIT_(?!AUTHOR_|COMMITTER_|TERMINAL_PROMPT$)/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPlain(name)));
}

function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
