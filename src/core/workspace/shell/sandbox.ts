/** Which sandbox this machine has, and how a command is started in it. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, lstat, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment } from '../../base/child-environment.ts';
import { TriadError } from '../../base/errors.ts';
import { NO_FILES } from '../../settings/listed-files.ts';
import { isInside, type Workspace } from '../reach.ts';
import { bubblewrapArguments, USER_NAMESPACE } from './bubblewrap.ts';
import { closedPlaces } from './closed-places.ts';
import { commandEnvironment } from './environment.ts';
import { findProgram } from './programs.ts';
import { seatbeltProfile } from './seatbelt.ts';

/** What is started where. */
interface Confined {
  workspace: Workspace;
  /** Canonical, in the workspace. */
  start: string;
  /** Whether the command reaches the network, and what listens on this machine. */
  network: boolean;
  write: Writable;
}

/** What a command can write in the workspace; `files`: all but what git itself stores (`.git`). */
export type Writable = 'nothing' | 'files' | 'all';

/** A program with its arguments; the command's own come behind them. */
export interface Launch {
  file: string;
  args: string[];
  env: Record<string, string>;
  /** To be called when the command has ended. */
  cleanUp: () => Promise<void>;
}

export interface Sandbox {
  readonly name: 'bubblewrap' | 'seatbelt';
  /** Whether all that a command started ends with it, whatever it did to hide. */
  readonly endsAll: boolean;
  /**
   * Throws `limit_reached` where the workspace is too large, `not_allowed` where no sandbox protects it. `infoFd`: where
   * bubblewrap is to say, as JSON, which process leads the command's group (`child-pid`).
   */
  launch(place: Confined, env: Environment, infoFd: number | null): Promise<Launch>;
}

const PROBE_MS = 10_000;
/** Writes inside and tries to outside; what came of it is looked at from outside. */
const TRIAL = '{ true > ../out; } 2>/dev/null; true > in && test ! -w /';

/** The sandbox of this machine, tried; null where there is none that holds. The caller keeps what it gets: trying starts processes. */
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
    const fault = await tried(sandbox, env);
    return fault === null ? { sandbox, words: `Commands run in Seatbelt (${file})` } : none(`${file}: ${fault}`);
  }
  if (platform !== 'linux') return none(`there is none for ${platform}`);
  const file = await findProgram('bwrap', env, null);
  if (file === null) return none('bubblewrap (bwrap) is not installed');
  let fault = '';
  for (const user of [USER_NAMESPACE, []]) {
    const sandbox = bubblewrap(file, user);
    const found = await tried(sandbox, env);
    if (found === null) return { sandbox, words: `Commands run in bubblewrap (${file})` };
    fault ||= found;
  }
  return none(`${file} is installed, and does not work here: ${fault}`);
}

/** Null where a write in the workspace succeeded and one outside did not; else why it counts as none. */
async function tried(sandbox: Sandbox, env: Environment): Promise<string | null> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'triad-sandbox-')));
  try {
    const inside = join(folder, 'in');
    await mkdir(inside);
    const workspace = { folder: inside, own: [], sessions: [], secrets: NO_FILES };
    const {
      file,
      args,
      env: own,
      cleanUp,
    } = await sandbox.launch({ workspace, start: inside, network: false, write: 'all' }, env, null);
    const fault = await faultOf(file, [...args, 'sh', '-c', TRIAL], own, inside);
    await cleanUp();
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

/** Null where the program ended well, else the last line of what it said. */
function faultOf(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { env, cwd, timeout: PROBE_MS }, (error, _, said) =>
      resolve(error && (said.trim().split('\n').at(-1) || error.message)),
    );
    child.stdin?.destroy();
  });
}

function bubblewrap(file: string, user: readonly string[]): Sandbox {
  return {
    name: 'bubblewrap',
    endsAll: true,
    async launch({ workspace, start, network, write }, env, infoFd) {
      refusePlanted(file, workspace);
      const places = await closedPlaces(workspace, await homeOf(env), write === 'all');
      const kinds = await Promise.all(
        ['/tmp', '/run', '/var/run'].map(async (path) =>
          (await lstat(path).catch(() => null))?.isDirectory() ? [path] : [],
        ),
      );
      const readOnly = write === 'nothing';
      const confinement = { folder: workspace.folder, start, network, readOnly, places, empty: kinds.flat() };
      return {
        file,
        args: bubblewrapArguments(confinement, user, infoFd),
        env: commandEnvironment(env, '/tmp'),
        cleanUp: () => Promise.resolve(),
      };
    },
  };
}

function seatbelt(file: string): Sandbox {
  return {
    name: 'seatbelt',
    endsAll: false,
    async launch({ workspace, network, write }, env) {
      refusePlanted(file, workspace);
      const places = await closedPlaces(workspace, await homeOf(env), write === 'all');
      const temporary = await realpath(await mkdtemp(join(tmpdir(), 'triad-command-')));
      return {
        file,
        args: [
          '-p',
          seatbeltProfile({ folder: workspace.folder, temporary, network, readOnly: write === 'nothing' }, places),
        ],
        env: commandEnvironment(env, temporary),
        cleanUp: () => rm(temporary, { recursive: true, force: true }),
      };
    },
  };
}

async function homeOf(env: Environment): Promise<string> {
  const home = env['HOME'] || homedir();
  return realpath(home).catch(() => home);
}

/** A program in the workspace is what an agent put there. */
function refusePlanted(file: string, { folder }: Workspace): void {
  if (folder !== '/' && isInside(folder, file))
    throw new TriadError('not_allowed', `${file} lies in the workspace: no sandbox is made with it`);
}
