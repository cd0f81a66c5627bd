/** Which sandbox this machine has, and how a command is started in it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BigIntStats } from 'node:fs';
import { access, type FileHandle, mkdir, mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../base/child-environment.ts';
import { TriadError } from '../../base/errors.ts';
import { NO_FILES } from '../../settings/listed-files.ts';
import type { Git } from '../git.ts';
import { DEFAULT_SANDBOX, type SandboxSettings } from '../../settings/sandbox-settings.ts';
import { encodePath, OpenEntry } from '../open-entry.ts';
import { isInside, isOwn, nameWorkspace, type Workspace } from '../reach.ts';
import { readFolderId, Root, withRoot } from '../roots.ts';
import { CLOSE_DESCRIPTORS, composeBubblewrap, FIRST_FREE_FD, type Layer, USER_NAMESPACE } from './bubblewrap.ts';
import { commandEnvironment, plainVariables } from './environment.ts';
import { GitLinks } from './git-links.ts';
import { writeGitSettings } from './git-settings.ts';
import { findMountFault, type MountCheck, releaseCommand } from './held-command.ts';
import { closeMounts, createMounts, dropMountsIn } from './mounts.ts';
import { hasSystem, type OutsideView, viewOutside } from './outside-view.ts';
import { findProgram } from './programs.ts';
import type { Checkout } from '../own-git-directory.ts';
import { addRepository, type IsFromCommand, openOuterRepository } from './repository-mounts.ts';
import { seatbeltProfile } from './seatbelt.ts';
import { composeSocketFilter } from './socket-filter.ts';
import { TrackedFiles } from './tracked-files.ts';
import { scanWorkspace } from './workspace-scan.ts';

/** The folder and the permissions of a command. */
interface Confined {
  workspace: Workspace;
  /** The folder in which it starts: canonical, in the workspace. */
  start: string;
  /** True if it reaches the network, and the servers of this machine. */
  network: boolean;
  write: Writable;
  options: CommandOptions;
  /** Variables for the command alone. The programs that make the sandbox never get them, because some start code. */
  env?: Readonly<Record<string, string>>;
}

/** What a command can write in the workspace; `files`: all but what git itself stores (`.git`). */
export type Writable = 'nothing' | 'files' | 'all';

/** Options that all commands of the program share. */
export interface CommandOptions {
  /** Folder of Triad for the caches of package managers, with one folder for each workspace. Null for none. */
  caches: string | null;
  /** Copies the settings of git; null if there is no git. */
  git: Git | null;
  /** Returns the settings as they are now. */
  settings: () => SandboxSettings;
}

/** A program with its arguments; the command's own come behind them. */
export interface Launch {
  file: string;
  args: string[];
  env: Record<string, string>;
  /** Descriptors that the program gets, from `FIRST_FREE_FD` on. */
  descriptors: readonly number[];
  /** Null: the command does not wait at a gate. */
  check: MountCheck | null;
  /** Call it when the command has ended. */
  cleanUp: () => Promise<void>;
}

export interface Sandbox {
  readonly name: 'bubblewrap' | 'seatbelt';
  /** Whether all that a command started ends with it, whatever it did to hide. */
  readonly endsAll: boolean;
  /**
   * Throws `limit_reached` for a workspace that is too large, and `not_allowed` for one that no sandbox protects. These are
   * the home folder, the folders above it, those of Triad, and one that was replaced.
   */
  launch(place: Confined, env: Environment): Promise<Launch>;
}

export const NO_OPTIONS: CommandOptions = { caches: null, git: null, settings: () => DEFAULT_SANDBOX };

/** Path of an empty home folder, in a folder that only the sandbox has. */
const NO_HOME = '/run/home';
const PROBE_MS = 10_000;
/** Writes inside and tries to outside; what came of it is looked at from outside. */
const TRIAL = '{ true > ../out; } 2>/dev/null; true > in && test ! -w /';

/** Returns the sandbox of this machine after a trial; null if none holds. Keep the result: a trial starts processes. */
export async function findSandbox(env: Environment, platform: string = process.platform): Promise<Sandbox | null> {
  return (await probeSandbox(env, platform)).sandbox;
}

/** `words`: one line, which sandbox there is, or why there is none. */
export async function probeSandbox(
  env: Environment,
  platform: string = process.platform,
): Promise<{ sandbox: Sandbox | null; words: string }> {
  const none = (why: string) => ({ sandbox: null, words: `No sandbox for commands: ${why}` });
  if (platform === 'darwin') {
    const file = await findProgram('sandbox-exec', env, null);
    if (file === null) return none('sandbox-exec is missing');
    const sandbox = seatbelt(file);
    const fault = await tryOut(sandbox, env);
    return fault === null ? { sandbox, words: `Commands run in Seatbelt (${file})` } : none(`${file}: ${fault}`);
  }
  if (platform !== 'linux') return none(`there is none for ${platform}`);
  const file = await findProgram('bwrap', env, null);
  if (file === null) return none('bubblewrap (bwrap) is not installed');
  const bash = await findProgram('bash', env, null);
  if (bash === null) return none('bash is not installed');
  let fault = '';
  for (const user of [USER_NAMESPACE, []]) {
    const sandbox = bubblewrap({ bash, bwrap: file }, user);
    const found = await tryOut(sandbox, env);
    if (found === null) return { sandbox, words: `Commands run in bubblewrap (${file})` };
    fault ||= found;
  }
  return none(`${file} is installed, and does not work here: ${fault}`);
}

/** Returns null if a write in the workspace succeeds and one outside fails, else why the sandbox counts as missing. */
async function tryOut(sandbox: Sandbox, env: Environment): Promise<string | null> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-sandbox-')));
  try {
    const inside = join(folder, 'in');
    await mkdir(inside);
    const workspace = {
      folder: inside,
      root: (await readFolderId(inside)) ?? '',
      own: [],
      sessions: [],
      secrets: NO_FILES,
    };
    const launch = await sandbox.launch(
      { workspace, start: inside, network: false, write: 'all', options: NO_OPTIONS },
      env,
    );
    const fault = await findFault(launch, ['sh', '-c', TRIAL], inside);
    await launch.cleanUp();
    if (fault !== null) return fault;
    const isThere = (path: string) =>
      access(path).then(
        () => true,
        () => false,
      );
    if (!(await isThere(join(inside, 'in')))) return 'nothing could be written in the workspace';
    return (await isThere(join(folder, 'out'))) ? 'a write outside of the workspace was not refused' : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns null if the program ended well, else the last line of its output. */
async function findFault(launch: Launch, words: readonly string[], cwd: string): Promise<string | null> {
  const child = spawn(launch.file, [...launch.args, ...words], {
    cwd,
    env: launch.env,
    timeout: PROBE_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'pipe', 'pipe', ...launch.descriptors],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const released = releaseCommand(child, launch.check);
  const [output, [code, signal], fault] = await Promise.all([text(child.stderr!), ended, released]);
  if (code === 0) return fault;
  return fault ?? (output.trim().split('\n').at(-1) || `it ended with ${signal ?? code}`);
}

function bubblewrap({ bash, bwrap }: { bash: string; bwrap: string }, user: readonly string[]): Sandbox {
  const links = new GitLinks();
  const times = new CommandTimes();
  return {
    name: 'bubblewrap',
    endsAll: true,
    async launch({ workspace, start, network, write, options, env: own = {} }, env) {
      const home = await findHome(env);
      for (const file of [bash, bwrap]) refuseUnprotected(file, workspace, home);
      const startedAt = Date.now();
      const isFromCommand = (stats: BigIntStats): boolean => times.hasMade(workspace.folder, stats);
      let restoreLink = (): Promise<void> => Promise.resolve();
      const layers: Layer[] = [];
      const [opened, files]: [OpenEntry[], FileHandle[]] = [[], []];
      const cleanUp = async (): Promise<void> => {
        times.add(workspace.folder, startedAt);
        await restoreLink();
        restoreLink = () => Promise.resolve();
        await Promise.all([...opened.splice(0), ...files.splice(0)].map((entry) => entry.close()));
        await Promise.all(layers.splice(0).map(({ mounts }) => closeMounts(mounts)));
      };
      try {
        const root = await openRoot(workspace);
        opened.push(root);
        restoreLink = await links.watch(root);
        await addLayers({ layers, opened }, root, { workspace, home, write, options }, isFromCommand);
        const outside = await viewWithSettings(options, { workspace, env, home, network });
        const gitSettings = await copyGitSettings(options, workspace, home);
        const filter = network && !options.settings().unix_sockets ? composeSocketFilter() : null;
        const filterFile = filter && (await openTemporary(filter));
        if (filterFile) files.push(filterFile);
        const filterFd = filterFile?.fd ?? null;
        const confinement = { outside, layers, network, start, gitSettings, filterFd, variables: own };
        const command = composeBubblewrap(confinement, user);
        // Arguments of a process have a maximum length, and Node passes them as UTF-8 only.
        const argumentFile = await openTemporary(Buffer.concat(command.args.map((word) => encodePath(`${word}\0`))));
        files.push(argumentFile);
        const last = String(FIRST_FREE_FD + command.descriptors.length);
        return {
          file: bash,
          args: ['--noprofile', '--norc', '-c', CLOSE_DESCRIPTORS, 'bash', last, bwrap, '--args', last, '--'],
          descriptors: [...command.descriptors, argumentFile.fd],
          cleanUp,
          // The workspace is a separate file system in the sandbox.
          env: {
            ...commandEnvironment(env, '/tmp', options.settings().env),
            ...outside.env,
            HOME: home,
            GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
          },
          check: (pid, hasEnded) => findMountFault(pid, command.mounted, hasEnded),
        };
      } catch (error) {
        await cleanUp();
        throw error;
      }
    },
  };
}

async function openRoot(workspace: Workspace): Promise<OpenEntry> {
  const { entry } = await Root.open(workspace);
  if (!entry) throw new TriadError('internal', 'bubblewrap needs Linux');
  return entry;
}

/** Adds the mounts of the workspace and of the repository around it. The caller closes them, also after an error. */
async function addLayers(
  { layers, opened }: { layers: Layer[]; opened: OpenEntry[] },
  root: OpenEntry,
  { workspace, home, write, options }: Pick<Confined, 'workspace' | 'write' | 'options'> & { home: string },
  isFromCommand: IsFromCommand,
): Promise<void> {
  const writesGit = write === 'all';
  const { top, gitFolders } = await openOuterRepository(root);
  opened.push(...(top ? [top] : []));
  const isShown = (path: string): boolean =>
    !isInside(path, home) && !isOwn(workspace, path) && !workspace.own.some((own) => isInside(path, own));
  const outer = createMounts();
  layers.push({ root: null, mounts: outer, isWritable: writesGit });
  for (const entry of gitFolders)
    if (isShown(top?.path ?? entry.path)) await addRepository(entry, outer, writesGit, isFromCommand);
    else opened.push(entry);
  const gitFolder = gitFolders.at(-1)?.path;
  const checkout = gitFolder === undefined ? null : { folder: (top ?? root).path, gitFolder };
  const tracked = composeTracked(options, workspace, checkout);
  // The rest of the repository, without which git takes its files for deleted.
  if (top && isShown(top.path)) {
    const around = await scanWorkspace(top, workspace, { writesGit: false, tracked, isFromCommand });
    layers.unshift({ root: top, mounts: await dropMountsIn(around, workspace.folder), isWritable: false });
  }
  const mounts = await scanWorkspace(root, workspace, { writesGit, tracked, isFromCommand });
  layers.push({ root, mounts, isWritable: write !== 'nothing' });
}

function seatbelt(file: string): Sandbox {
  return {
    name: 'seatbelt',
    endsAll: false,
    async launch({ workspace, network, write, options, env: own = {} }, env) {
      const home = await findHome(env);
      refuseUnprotected(file, workspace, home);
      await withRoot(workspace, () => Promise.resolve());
      const root = await OpenEntry.open(workspace.folder);
      if (!root) throw new TriadError('not_found', `${workspace.folder} does not exist`);
      const temporary = await realpath(await mkdtemp(join(tmpdir(), 'triad-command-')));
      let mounts = createMounts();
      try {
        const tracked = composeTracked(options, workspace, null);
        const scanOptions = { writesGit: write === 'all', tracked, isFromCommand: () => false };
        mounts = await scanWorkspace(root, workspace, scanOptions);
        const outside = await viewWithSettings(options, { workspace, env, home, network });
        const unixSockets = options.settings().unix_sockets;
        const bounds = { folder: workspace.folder, temporary, network, unixSockets, readOnly: write === 'nothing' };
        return {
          file,
          args: ['-p', seatbeltProfile(bounds, outside, mounts)],
          env: {
            ...commandEnvironment(env, temporary, options.settings().env),
            ...outside.env,
            ...plainVariables(own),
          },
          descriptors: [],
          check: null,
          cleanUp: () => rm(temporary, { recursive: true, force: true }),
        };
      } finally {
        await Promise.all([root.close(), closeMounts(mounts)]);
      }
    },
  };
}

/** Opens a new file with this content, which is deleted at once. */
async function openTemporary(content: Buffer): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'triad-sandbox-'));
  try {
    await writeFile(join(folder, 'content'), content, { mode: 0o600 });
    return await open(join(folder, 'content'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the canonical path of the home folder. In containers it may be `/`, which counts as no home folder. */
export async function findHome(env: Environment): Promise<string> {
  const home = env['HOME'] || homedir();
  const real = await realpath(home).catch(() => home);
  return hasSystem(real) ? NO_HOME : real;
}

function viewWithSettings(
  { caches, settings }: CommandOptions,
  place: { workspace: Workspace; env: Environment; home: string; network: boolean },
): Promise<OutsideView> {
  return viewOutside({
    ...place,
    caches: caches && join(caches, nameWorkspace(place.workspace)),
    more: settings().readable.map((path) => path.replace(/^~(?=\/)/, place.home)),
  });
}

function composeTracked({ git }: CommandOptions, workspace: Workspace, outer: Checkout | null): TrackedFiles | null {
  return git && new TrackedFiles({ git, outer, isOwn: (path) => isOwn(workspace, path) });
}

async function copyGitSettings({ caches, git }: CommandOptions, workspace: Workspace, home: string) {
  if (caches === null || git === null) return null;
  const file = join(caches, `${nameWorkspace(workspace)}.gitconfig`);
  return (await writeGitSettings(git, home, file)) ? file : null;
}

function refuseUnprotected(file: string, { folder }: Workspace, home: string): void {
  if (isInside(folder, home))
    throw new TriadError('not_allowed', `${folder} is the home folder or has it inside: no sandbox protects it`);
  // An agent may have written a program in the workspace.
  if (isInside(folder, file))
    throw new TriadError('not_allowed', `${file} lies in the workspace: no sandbox is made with it`);
}

/** Maximum time of a command that counts, in milliseconds: during a longer one the person works too. */
const MAX_MS = 120_000;
/** Maximum number of commands that are remembered of a workspace. */
const MAX_COMMANDS = 500;
const NS_PER_MS = 1_000_000n;

/** The times of commands, which distinguish files that a command made from those of the person. */
class CommandTimes {
  readonly #times = new Map<string, { from: bigint; until: bigint }[]>();

  /** Adds a command that ends now. `startedAt`: as of `Date.now`. */
  add(folder: string, startedAt: number): void {
    const endedAt = Date.now();
    if (endedAt - startedAt > MAX_MS) return;
    const times = this.#times.get(folder) ?? [];
    times.push({ from: BigInt(startedAt) * NS_PER_MS, until: BigInt(endedAt) * NS_PER_MS });
    this.#times.set(folder, times.slice(-MAX_COMMANDS));
  }

  /** Returns whether something was made while a command ran. No program can change this time of a file. */
  hasMade(folder: string, { birthtimeNs }: BigIntStats): boolean {
    return (this.#times.get(folder) ?? []).some(({ from, until }) => birthtimeNs >= from && birthtimeNs <= until);
  }
}
