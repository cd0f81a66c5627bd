/** The commands of one run: one after the other, others in the background, all ended with the run. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Environment } from '../../base/child-environment.ts';
import { TriadError } from '../../base/errors.ts';
import type { ChangeSet } from '#contract/change.ts';
import { DEFAULT_SANDBOX, type SandboxSettings } from '../../settings/sandbox-settings.ts';
import type { ControlFiles } from '../control/control-files.ts';
import { isInside, type Workspace } from '../reach.ts';
import type { Call } from '../snapshots.ts';
import type { Workspaces } from '../workspaces.ts';
import { BackgroundCommands, OUTPUT } from './background.ts';
import { RunningCommands } from './command-processes.ts';
import { type CommandOptions, findHome, findSandbox, type Sandbox } from './sandbox.ts';
import type { Lender } from '../lent/lenders.ts';
import { runShell, type ShellCommand, type ShellResult } from './shell-process.ts';
import { runInTerminal } from './terminal-shell.ts';
import { startFolder } from './working-folder.ts';

/** The most that is kept of the output of a command, in bytes. */
const KEPT_BYTES = 64 * 1024 * 1024;
/** The most of it that is held in memory. */
const RESULT_BYTES = 48 * 1024;
/** Between the question to end and the end. */
const GRACE_MS = 2000;
/** How long the end of one in the background waits for another run's command, in milliseconds. */
const CLOSE_MS = 2000;
/** Commands that a run has in the background at a time. */
const MAX_BACKGROUND = 8;

/** What all runs of the program share; the caller calls `end` when no more commands come. */
export class ShellHost {
  readonly env: Environment;
  readonly workspaces: Workspaces | null;
  readonly #running = new RunningCommands();
  readonly #atExit = () => this.#running.killAll();
  #hasCommands = false;
  #sandbox: Promise<Sandbox | null> | null = null;
  #settings: () => SandboxSettings = () => DEFAULT_SANDBOX;

  /** `env`: that of the program, which commands get without secrets. `workspaces`: null where nothing is kept of what they change. */
  constructor(env: Environment, workspaces: Workspaces | null) {
    this.env = env;
    this.workspaces = workspaces;
  }

  /** The one of this machine, tried once; null where there is none that holds. */
  sandbox(): Promise<Sandbox | null> {
    this.#sandbox ??= findSandbox(this.env);
    return this.#sandbox;
  }

  /** Uses these settings from now on. */
  useSettings(settings: () => SandboxSettings): void {
    this.#settings = settings;
  }

  get options(): CommandOptions {
    const { caches = null, git = null } = this.workspaces ?? {};
    return { caches, git, settings: this.#settings };
  }

  /** The sandbox for commands in this workspace; null for the home folder and those above it, which none protects. */
  async sandboxFor({ folder }: Workspace): Promise<Sandbox | null> {
    return isInside(folder, await findHome(this.env)) ? null : this.sandbox();
  }

  /**
   * What of a workspace is not kept when a command changes it; null where nothing of it is, because there is no git or
   * it is too large. Keeps a workspace that is new.
   */
  async notKept(workspace: Workspace, signal: AbortSignal): Promise<string[] | null> {
    if (!this.workspaces) return null;
    const { lock, snapshots } = this.workspaces;
    if (!(await snapshots.isAvailable())) return null;
    try {
      if (!(await snapshots.isKnown(workspace)))
        return await lock.alone(workspace.folder, signal, () => snapshots.begin(workspace));
      return await snapshots.notKept(workspace);
    } catch (error) {
      if (error instanceof TriadError && error.code === 'limit_reached') return null;
      throw error;
    }
  }

  /** For a command that begins now: none is left when the program exits, also where nothing is waited for. */
  running(): RunningCommands {
    if (!this.#hasCommands) process.once('exit', this.#atExit);
    this.#hasCommands = true;
    return this.#running;
  }

  end(): void {
    process.off('exit', this.#atExit);
    this.#hasCommands = false;
    this.#running.killAll();
  }
}

/** What one command is asked for with. */
export type Asked = Pick<
  ShellCommand,
  'command' | 'workspace' | 'folder' | 'saidIn' | 'network' | 'write' | 'timeoutMs'
>;

/** What came of a command, and what it changed; null where that is nothing, or is not known because it cannot be kept. */
export type Ran = ShellResult & { changed: ChangeSet | null; terminalId?: string };

export class RunShell {
  readonly #host: ShellHost;
  readonly #signal: AbortSignal;
  readonly #background: BackgroundCommands;
  /** Where outputs in the background go. */
  readonly #folder: string;
  readonly #current = new Set<Promise<unknown>>();
  #earlier: Promise<number> | null = null;

  /** `folder`: for outputs in the background; made when the first one is. `signal`: the run's. */
  constructor(host: ShellHost, folder: string, signal: AbortSignal) {
    this.#host = host;
    this.#folder = folder;
    this.#signal = signal;
    this.#background = new BackgroundCommands(folder, MAX_BACKGROUND, signal, () => Date.now());
  }

  get background(): Pick<BackgroundCommands, 'list' | 'read' | 'kill'> {
    return this.#background;
  }

  /**
   * Runs it to its end, in this terminal of a client or in a shell of ours; its whole output is then in `file`. One that can write something holds the workspace's lock, and
   * what it changes is kept where there is git. Throws what `runShell` and `Snapshots.open` throw.
   */
  async run(
    asked: Asked & Pick<ShellCommand, 'file' | 'onOutput'>,
    call: Call,
    terminal: Lender | null = null,
  ): Promise<Ran> {
    const { file } = asked;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(file, { force: true });
    const run = async (): Promise<ShellResult> => {
      const settings = {
        ...asked,
        ...(await this.#settings(asked.workspace)),
        resultBytes: RESULT_BYTES,
        signal: this.#signal,
      };
      const { runId, toolCallId } = call;
      return terminal ? runInTerminal({ ...settings, terminal, call: { runId, toolCallId } }) : runShell(settings);
    };
    const work = this.#kept(asked, call, async () => {
      const controlFiles = await this.#watchControlFiles(asked, terminal);
      return run().finally(() => controlFiles?.endCommand(asked.workspace));
    });
    this.#current.add(work);
    try {
      return await work;
    } finally {
      this.#current.delete(work);
    }
  }

  /** Stores the control files before a command that could change them; null for one that cannot, or has no sandbox. */
  async #watchControlFiles({ workspace, write }: Asked, terminal: Lender | null): Promise<ControlFiles | null> {
    const controlFiles = this.#host.workspaces?.controlFiles ?? null;
    const isConfined = terminal === null && (await this.#host.sandboxFor(workspace)) !== null;
    if (!isConfined || write === 'nothing') return null;
    await controlFiles?.beginCommand(workspace);
    return controlFiles;
  }

  async #kept({ workspace, write }: Asked, call: Call, run: () => Promise<ShellResult>): Promise<Ran> {
    const { workspaces } = this.#host;
    if (write === 'nothing' || workspaces === null) return { ...(await run()), changed: null };
    const { lock, snapshots } = workspaces;
    return lock.alone(workspace.folder, this.#signal, async () => {
      if (!(await snapshots.isAvailable())) return { ...(await run()), changed: null };
      await snapshots.open(workspace, call);
      const [ran] = await Promise.allSettled([run()]);
      const changed = await snapshots.close(workspace, call);
      if (ran.status === 'rejected') throw ran.reason;
      return { ...ran.value, changed };
    });
  }

  /** Starts it in the background; returns its id. Throws what `BackgroundCommands.start` and `startFolder` throw. */
  async start(asked: Asked, call: Call): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Those of a run that was killed keep their outputs and their names.
    this.#earlier ??= readdir(this.#folder).then((names) => names.filter((name) => name.endsWith(OUTPUT)).length);
    const earlier = await this.#earlier;
    // What is told at once need not be looked up.
    await startFolder(asked);
    const settings = { ...asked, ...(await this.#settings(asked.workspace)) };
    const closeSnapshot = await this.#openSnapshot(asked, call);
    const controlFiles = await this.#watchControlFiles(asked, null);
    const ended = async (): Promise<readonly string[]> => {
      controlFiles?.endCommand(asked.workspace);
      const putBack = controlFiles ? await putBackUnanswered(controlFiles, asked.workspace) : [];
      await closeSnapshot();
      return putBack;
    };
    try {
      return this.#background.start(settings, earlier, ended);
    } catch (error) {
      await ended();
      throw error;
    }
  }

  /** Opens the change set of a command in the background; returns what closes it. */
  async #openSnapshot({ workspace, write }: Asked, call: Call): Promise<() => Promise<void>> {
    const { workspaces } = this.#host;
    if (!workspaces || write === 'nothing' || !(await workspaces.snapshots.isAvailable()))
      return () => Promise.resolve();
    const { lock, snapshots } = workspaces;
    await lock.alone(workspace.folder, this.#signal, () => snapshots.open(workspace, call));
    return async () => {
      const closing = lock.alone(workspace.folder, AbortSignal.timeout(CLOSE_MS), () =>
        snapshots.close(workspace, call),
      );
      await closing.catch(() => snapshots.abandon(call));
    };
  }

  /** Resolves when no command of the run is left. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#current);
    await this.#background.end();
  }

  async #settings(workspace: Workspace) {
    const { env, options } = this.#host;
    const sandbox = await this.#host.sandboxFor(workspace);
    const running = this.#host.running();
    return { sandbox, env, options, running, fileBytes: KEPT_BYTES, graceMs: GRACE_MS };
  }
}

/**
 * Puts back the changes of a command in the background, because no call waits for its end. The end of another command, or
 * the next start outside the sandbox, settles the rest. Returns the paths.
 */
async function putBackUnanswered(controlFiles: ControlFiles, workspace: Workspace): Promise<readonly string[]> {
  if (controlFiles.isCommandRunning(workspace)) return [];
  const { putBack } = await controlFiles.settle(workspace, null).catch(() => ({ putBack: [] }));
  return putBack.map(({ path }) => path);
}
