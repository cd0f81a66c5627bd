/** Checks what the program runs on and can use: Node, git, a sandbox, a window or a browser. */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findRipgrep } from '#core/tools/search/ripgrep.ts';
import type { Git } from '#core/workspace/git.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { viewOutside } from '#core/workspace/shell/outside-view.ts';
import { probeSandbox } from '#core/workspace/shell/sandbox.ts';
import { findDesktop } from '../desktop/desktop-runtime.ts';
import { causeOf, type Finding, ok, problem, warning } from './finding.ts';

const NEEDED_NODE = 24;
const PATIENCE_MS = 5000;
const WITHOUT_GIT =
  'without it nothing that a command changes in files can be undone, so each that may is asked about; files that agents write themselves can be put back, but not where others have changed them since';

type Environment = Readonly<Record<string, string | undefined>>;

export function checkNode(version: string): Finding {
  const { node } = process.versions;
  const text = `Triad ${version} on Node.js ${node} (${process.platform} ${process.arch})`;
  if (Number(node.split('.')[0]) >= NEEDED_NODE) return ok('runtime', text);
  return problem('runtime', text, `use Node.js ${NEEDED_NODE} or newer: "npm start" brings its own on most systems`);
}

/** `git`: as the program itself would use it, which need not be the first in the path. */
export async function checkGit(git: Pick<Git, 'file' | 'run'>): Promise<Finding> {
  const file = await git.file();
  if (file === null) return warning('git', 'not found', `install the package "git"; ${WITHOUT_GIT}`);
  try {
    const version = (await git.run({ args: ['--version'], cwd: '/' })).toString('utf8').trim();
    return ok('git', `${version} (${file}); what commands change in the sandbox can be undone`);
  } catch (error) {
    return warning('git', `${file} does not work (${causeOf(error)})`, `install it anew; ${WITHOUT_GIT}`);
  }
}

/** Looked for as a search of the current folder does. */
export async function checkRipgrep(env: Environment): Promise<Finding> {
  const program = await findRipgrep(env, { folder: process.cwd() });
  const version = program === null ? null : await firstLine(program, ['--no-config', '--version']);
  if (version !== null) return ok('ripgrep', `${version}, at ${program}`);
  return warning('ripgrep', 'not found', 'nothing: searches are only slower; the package "ripgrep" brings it');
}

/** Tries the sandbox, because containers often forbid it, and reports what commands see outside the workspace. */
export async function checkSandbox(env: Environment): Promise<Finding[]> {
  const { sandbox, words } = await probeSandbox(env);
  if (sandbox) return [ok('sandbox', words), ...(await describeView(env)).map((text) => ok('sandbox', text))];
  const advice = process.platform === 'linux' ? 'install the package "bubblewrap", and allow user namespaces; ' : '';
  return [warning('sandbox', words, `${advice}without one each command of an agent is asked about`)];
}

async function describeView(env: Environment): Promise<string[]> {
  const home = env['HOME'] ?? homedir();
  const workspace = { folder: '/nowhere', root: '', own: [], sessions: [], secrets: NO_FILES };
  const { readable } = await viewOutside({ workspace, env, home, network: false, caches: null, more: [] });
  const isPersonal = (path: string) => path.startsWith('/home/') || path.startsWith('/Users/') || path.startsWith(home);
  const toolchains = readable
    .map(({ path }) => path.replace(home, '~'))
    .filter((path) => isPersonal(path) || path.startsWith('~'));
  const seen = toolchains.length === 0 ? 'nothing of your home folder' : toolchains.sort().join(', ');
  return [
    `commands can read the workspace, the system, and ${seen}; the setting sandbox.readable adds folders`,
    `commands cannot read the rest of ${home}, other projects, Triad's folders, or files with keys such as .env`,
    'commands have no network unless you allow it',
  ];
}

/** The app needs its built pages, and a window or a browser to show them. */
export async function checkWindow(env: Environment, webRoot: string): Promise<Finding[]> {
  const pages = (await exists(join(webRoot, 'index.html')))
    ? ok('app', `built in ${webRoot}`)
    : problem('app', 'the pages of the app are not built', 'run "npm run build"');
  const desktop = await findDesktop(env, process.platform);
  const window = desktop.ok
    ? ok('window', `Electron: ${desktop.path}`)
    : warning('window', `no Electron runtime: ${desktop.reason}`, 'nothing: the app is served to a browser instead');
  return [pages, window];
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Null where the command is missing or fails. */
async function firstLine(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { timeout: PATIENCE_MS });
    return stdout.split('\n')[0]?.trim() || null;
  } catch {
    return null;
  }
}
