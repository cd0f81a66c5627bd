/** Decides where a stdio server starts. An agent can rewrite files of the workspace, so what starts from one is confined. */
import { constants } from 'node:fs';
import { access, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, isAbsolute, resolve } from 'node:path';
import type { StartPlace } from '#contract/approvals/trust-phrases.ts';
import type { McpLaunch } from '#contract/mcp/mcp-entry.ts';
import type { Environment } from '../base/child-environment.ts';
import { followLinks } from '../workspace/link-path.ts';
import { isInside, type Workspace } from '../workspace/reach.ts';
import type { CommandOptions, Sandbox } from '../workspace/shell/sandbox.ts';
import type { McpServerConfig } from './server-config.ts';

/** A program with its folder, whose path is canonical in a sandbox. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the entry of the server configures. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The sandbox of a workspace, and what it needs. */
export interface WorkspaceSandbox {
  readonly sandbox: Sandbox;
  readonly workspace: Workspace;
  readonly options: CommandOptions;
}

export interface ServerStart {
  readonly program: ServerProgram;
  /** Environment of this program, of which the server gets a part. */
  readonly env: Environment;
  /** Null: the server starts without a sandbox. */
  readonly confinedBy: WorkspaceSandbox | null;
  /** A relative path of the entry that names a file of the workspace, while the server starts elsewhere. */
  readonly missedFile?: string | null;
}

export interface StartPorts {
  /** Environment of this program. */
  readonly env: Environment;
  /** Returns the sandbox of a workspace folder; null for a folder that none protects. */
  readonly sandboxFor: (folder: string) => Promise<WorkspaceSandbox | null>;
  /** Folder for servers outside the sandbox, in which no agent can write. Null: servers start in the workspace. */
  readonly neutralFolder: string | null;
}

type StdioServer = Pick<McpServerConfig, 'source'> & {
  readonly transport: McpServerConfig['transport'] & { kind: 'stdio' };
};

/**
 * Returns where a server of a workspace folder starts:
 * - in the sandbox, if its program, an argument, a variable or its folder names a path in the workspace;
 * - else without the folders of `PATH` that are in the workspace.
 *
 * An entry without `cwd` starts:
 * - in the workspace, if it is of a project and no package runner;
 * - else in the neutral folder, or `/` in the sandbox: programs such as `npx` load files of the folder in which they start.
 *
 * This function creates nothing.
 */
export async function planServerStart(
  { source, transport: { command, args, env: own, cwd } }: StdioServer,
  folder: string,
  { env, sandboxFor, neutralFolder }: StartPorts,
): Promise<ServerStart> {
  const workspace = new WorkspaceTest(folder, await realpath(folder).catch(() => folder));
  const runner = cwd === null ? readPackageRunner(command, args) : null;
  const canLeave = cwd === null && neutralFolder !== null && !(await workspace.contains(neutralFolder));
  const startsNeutral = canLeave && source !== 'project';
  const start = startsNeutral ? neutralFolder : resolve(folder, cwd ?? '.');
  const neutral = canLeave && (startsNeutral || runner !== null) ? neutralFolder : null;
  const isFromWorkspace =
    (neutral === null && (await workspace.contains(start))) ||
    ((neutral === null || runner === null) && hasInlineCode([command, ...args])) ||
    (await workspace.containsProgram(command, own['PATH'] ?? env['PATH'] ?? '', start)) ||
    (await workspace.isNamedIn([...(runner?.args ?? args), ...Object.values(own)], start));
  const program = { command, args, env: own };
  const missedFile = startsNeutral ? await findRelativeFile([command, ...args], folder) : null;
  if (isFromWorkspace) {
    const confinedBy = await sandboxFor(folder);
    // The sandbox does not show the neutral folder.
    const confinedStart = startsNeutral ? '/' : await realpath(start).catch(() => start);
    return { program: { ...program, cwd: confinedBy ? confinedStart : start }, env, confinedBy, missedFile };
  }
  const path = env['PATH'] === undefined ? {} : { PATH: await workspace.filterFolders(env['PATH']) };
  return { program: { ...program, cwd: neutral ?? start }, env: { ...env, ...path }, confinedBy: null, missedFile };
}

/** Returns the first word that is a relative path of a file in a folder. The name of a command has a slash then. */
async function findRelativeFile([command = '', ...args]: readonly string[], folder: string): Promise<string | null> {
  for (const word of /[/\\]/.test(command) ? [command, ...args] : args) {
    const stats = isAbsolute(word) || word === '' ? null : await lstat(resolve(folder, word)).catch(() => null);
    if (stats?.isFile()) return word;
  }
  return null;
}

/** Returns where a server of a project starts; null for an address. Its entry may have variables that are not filled in. */
export async function findStartPlace(
  { command, args, env, cwd }: McpLaunch,
  folder: string,
  ports: StartPorts,
): Promise<StartPlace | null> {
  if (command === undefined) return null;
  const transport = { kind: 'stdio' as const, command, args, env, cwd: cwd ?? null };
  const { confinedBy } = await planServerStart({ source: 'project', transport }, folder, ports);
  if (confinedBy) return 'sandbox';
  return (await ports.sandboxFor(folder)) ? 'outside' : 'no-sandbox';
}

const NPM_PACKAGE = /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(@[\w.^~<>=*+-]+)?$/i;
const PYTHON_PACKAGE = /^[a-z0-9][\w.-]*(\[[\w,.-]+\])?((@|[=<>!~]=?)[\w.*]+)?$/i;

/** Returns the arguments of `npx -y PACKAGE`, `uvx PACKAGE` and `docker` that may name files; null for any other program. */
function readPackageRunner(command: string, args: readonly string[]): { args: readonly string[] } | null {
  const [first = '', second = ''] = args;
  if (command === 'npx' && (first === '-y' || first === '--yes') && NPM_PACKAGE.test(second))
    return { args: args.slice(2) };
  if (command === 'uvx' && PYTHON_PACKAGE.test(first)) return { args: args.slice(1) };
  return command === 'docker' ? { args } : null;
}

const SHELLS = /^((ba|da|z|k|fi|c|tc|pw)?sh|powershell|cmd)(\.exe)?$/i;
const INTERPRETERS = /^(busybox|env|node|nodejs|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua|osascript)(\.exe)?$/i;
const INLINE_CODE =
  /^-[a-z]*[ceprms]|^--(eval|print|command|require|import|loader|experimental-loader)\b|^\/[ck]$|^eval$/i;

/** Returns whether an interpreter gets code, or a module that it finds by name, so that no argument names the file. */
function hasInlineCode(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const isShell = SHELLS.test(basename(word));
    if (!isShell && !INTERPRETERS.test(basename(word))) return false;
    const options = words.slice(index + 1);
    // A word that is no option names the script, unless it is the value of a short option.
    const script = options.findIndex((one, at) => !isOption(one) && (at === 0 || options[at - 1]!.length !== 2));
    const end = isShell || script < 0 ? options.length : script;
    return options.slice(0, end).some((option) => INLINE_CODE.test(option));
  });
}

const isOption = (word: string): boolean => word.startsWith('-') || word === 'eval' || word === 'run';

/** Characters between the paths of one argument. */
const SEPARATORS = /[\s=,:;|&<>(){}[\]'"`]+/;
/** Form of a path that names a file, also a missing one. */
const PATH_FORM = /^(\/|\.\.?(\/|$)|~(\/|$))/;
/** Paths whose target depends on the process. */
const PROCESS_PATH = /^\/(proc|dev\/fd)(\/|$)/;

/** Compares paths with a workspace folder. In doubt a path counts as inside: it costs a server no more than the sandbox. */
class WorkspaceTest {
  readonly #folder: string;
  readonly #names: readonly string[];

  /** `written`: the folder as the caller names it; `folder`: its canonical path. */
  constructor(written: string, folder: string) {
    this.#folder = fold(folder);
    this.#names = [fold(written), this.#folder];
  }

  /** Returns whether an absolute path, or a link on the way, is inside. */
  async contains(path: string): Promise<boolean> {
    const isBarred = (at: string): boolean => isInside(this.#folder, fold(at));
    return (await followLinks(path, isBarred)).end === 'barred';
  }

  /** Returns whether a command in `cwd` starts a program inside, with this `PATH`. */
  async containsProgram(command: string, path: string, cwd: string): Promise<boolean> {
    if (/[/\\]/.test(command)) return this.contains(resolve(cwd, command));
    for (const folder of path.split(delimiter)) {
      const file = resolve(cwd, folder, command);
      const isThere = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return this.contains(file);
    }
    return false;
  }

  /** Returns whether a text names a file inside. `cwd`: the folder of relative paths. */
  async isNamedIn(texts: readonly string[], cwd: string): Promise<boolean> {
    for (const text of texts.flatMap((written) => [written, decode(written)])) {
      if (this.#names.some((name) => hasPath(fold(text), name))) return true;
      for (const part of listPathParts(text)) if (await this.#isNamedBy(part, cwd)) return true;
    }
    return false;
  }

  /** Returns the folders of a `PATH` that are outside. */
  async filterFolders(path: string): Promise<string> {
    const folders = path.split(delimiter).filter(isAbsolute);
    const isBarred = await Promise.all(folders.map((folder) => this.contains(folder)));
    return folders.filter((_, index) => !isBarred[index]).join(delimiter);
  }

  async #isNamedBy(part: string, cwd: string): Promise<boolean> {
    if (PROCESS_PATH.test(part)) return true;
    const path = resolve(cwd, part.replace(/^~(?=\/|$)/, homedir()));
    const isFile = PATH_FORM.test(part) || (await lstat(path).catch(() => null)) !== null;
    return isFile && this.contains(path);
  }
}

/** Returns the pieces of an argument that may be paths, such as those of `--config=./a`, `-r./a`, `@a` and `file:///a`. */
function listPathParts(text: string): Set<string> {
  const pieces = [text, ...text.split(SEPARATORS)].filter((piece) => piece !== '');
  const parts = pieces.flatMap((piece) => {
    const path = /(\.{0,2}|~)\/.*$/.exec(piece)?.[0];
    return [piece, piece.replace(/^(-\w|@)/, ''), ...(path === undefined ? [] : [path])];
  });
  return new Set(parts.filter((part) => part !== ''));
}

/** Returns whether a text has a path that is not the beginning of another name. */
const hasPath = (text: string, path: string): boolean =>
  text
    .split(path)
    .slice(1)
    .some((rest) => !/^[\w.-]/.test(rest));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Some file systems ignore case, and the form of letters. */
const fold = (path: string): string => path.normalize('NFC').toLowerCase();
