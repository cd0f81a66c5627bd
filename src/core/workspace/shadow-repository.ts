/** A shadow git repository of the program's own, which knows a workspace as it was last seen. The caller holds the workspace's lock. */
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { type FileNow } from './file-state.ts';
import { type Git, WITHOUT_SETTINGS } from './git.ts';
import { isKept, keeper, type Keeps, stampAt, statsAt } from './kept-files.ts';
import { isInside, type Workspace } from './reach.ts';
import { withRoot } from './roots.ts';
import { stampOf } from './stamp.ts';

/** Together larger, a workspace is not kept, in bytes. */
const MAX_TOTAL_BYTES = 2 * 1024 * 1024 * 1024;
/** Files read at a time. */
const AT_ONCE = 32;
/** Never kept, whether git ignores them or not: what installs itself again. */
const PASSED_OVER = ['node_modules/'];
/** No conversion of line ends, filter or encoding that a workspace may ask for: bytes are kept as they are. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n';
const LINK = '120000';
const EXECUTABLE = 0o111;
const RECENT_MS = 2500;
const MAX_RECENT = 5000;
/** Files that are packed together. */
const MANY = 500;

/** What the repository cannot hold of the files as they were last seen. */
export interface Seen {
  /** Permissions that are not the usual ones. */
  modes: Record<string, number>;
  /** By what files are known again that cannot be kept: too large, or refused by git or the system. */
  unkept: Record<string, string>;
  /** By what those are known that changed so short before that git, which knows whole seconds, might not notice the next change. */
  recent: Record<string, string>;
  /** Folders that are not kept; null before the first look. */
  folders: string[] | null;
}

/** A path that the repository knows otherwise than it is now, or not at all. */
export interface Candidate {
  path: string;
  /** What the repository knows: mode and object; null where nothing. */
  known: { mode: string; object: string } | null;
}

/** What is not as the repository knows it, sorted by path, and the folders that are not kept, each with a slash behind. */
export interface Look {
  candidates: Candidate[];
  folders: string[];
}

export class ShadowRepository {
  readonly #folder: string;
  readonly #git: Git;
  readonly #workspace: Workspace;

  /** `folder`: of the repository; made by `prepare`. */
  constructor(folder: string, git: Git, workspace: Workspace) {
    this.#folder = folder;
    this.#git = git;
    this.#workspace = workspace;
  }

  /** Makes the repository where it is missing. */
  async prepare(): Promise<void> {
    if (await lstat(join(this.#folder, 'info', 'attributes')).catch(() => null)) return;
    await this.#git.initBareRepository(this.#folder);
    await mkdir(join(this.#folder, 'info'), { recursive: true });
    await writeAtomically(join(this.#folder, 'info', 'attributes'), ATTRIBUTES);
  }

  /** Everything that is not as the repository knows it, sorted, and folders that are not kept. */
  async look(): Promise<Look> {
    const workspace = this.#workspace;
    const out = await this.#run(['-c', `alias.look=!look() { ${LOOK}; }; look`, 'look', ...this.#passedOver()]);
    const [raw, others, ignored] = partsOf(out);
    const found = new Map<string, Candidate>();
    const folders: string[] = [];
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [mode = '', , object = ''] = (raw[at] ?? '').slice(1).split(' ');
      const path = raw[at + 1] ?? '';
      if (isKept(workspace, path)) found.set(path, { path, known: { mode, object } });
    }
    for (const path of [...others, ...ignored]) {
      const isFolder = path.endsWith('/');
      if (!isKept(workspace, isFolder ? path.slice(0, -1) : path)) continue;
      if (isFolder) folders.push(path);
      else if (!found.has(path)) found.set(path, { path, known: null });
    }
    for (const one of await this.#unnoticed(found)) found.set(one.path, one);
    return { candidates: [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), folders };
  }

  /** What the repository knows of them; undefined where it has lost it. */
  async before(candidates: readonly Candidate[], modes: Seen['modes']): Promise<(FileNow | null | undefined)[]> {
    const objects = candidates.flatMap(({ known }) => (known ? [known.object] : []));
    const bytes = objects.length === 0 ? [] : await this.#objects(objects);
    return candidates.map(({ path, known }) => {
      if (known === null) return null;
      const content = bytes.shift() ?? null;
      if (content === null) return undefined;
      if (known.mode === LINK) return { kind: 'link', bytes: content, mode: 0 };
      return { kind: 'file', bytes: content, mode: modes[path] ?? usualMode(known.mode.endsWith('755')) };
    });
  }

  /**
   * Makes the repository know them as they are now. Where they are too much it throws `limit_reached`, if it is to be
   * `strict`, else the rest is not kept.
   */
  async take({ candidates, folders }: Look, { strict }: { strict: boolean }): Promise<void> {
    const seen = await this.seen();
    const paths = new Set(candidates.map(({ path }) => path));
    const gone = Object.keys(seen.unkept).filter((path) => !paths.has(path));
    const isSame = seen.folders?.join('\n') === folders.join('\n');
    if (isSame && candidates.length + gone.length + Object.keys(seen.recent).length === 0) return;
    seen.folders = folders;
    for (const path of gone) delete seen.unkept[path];
    await forgetOld(this.#workspace, seen);
    const keeps = keeper(this.#workspace);
    const kept: string[] = [];
    const dropped: string[] = [];
    let total = 0;
    for (let at = 0; at < candidates.length; at += AT_ONCE) {
      await Promise.all(
        candidates.slice(at, at + AT_ONCE).map(async ({ path, known }) => {
          const bytes = await this.#see(path, seen, total > MAX_TOTAL_BYTES ? nothing : keeps);
          if (bytes !== null) kept.push(path);
          else if (known) dropped.push(path);
          total += bytes ?? 0;
        }),
      );
      if (strict && total > MAX_TOTAL_BYTES)
        throw new TriadError(
          'limit_reached',
          `${this.#workspace.folder} holds too much to keep what a command changes in it`,
        );
    }
    if (Object.keys(seen.recent).length > MAX_RECENT) seen.recent = {};
    await writeAtomically(join(this.#folder, 'seen.json'), JSON.stringify(seen), { sync: false });
    // Whoever held it was killed: only one program uses it, under the workspace's lock.
    await rm(join(this.#folder, 'index.lock'), { force: true });
    const names = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('');
    if (dropped.length > 0) await this.#run(['update-index', '-z', '--force-remove', '--stdin'], names(dropped));
    // Many objects go into one pack, which takes an eighth of the room.
    const how = kept.length > MANY ? 'core.bigFileThreshold=1' : 'core.looseCompression=1';
    const add = ['-c', how, 'update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    if (kept.length > 0) await this.#run(add, names(kept));
  }

  async seen(): Promise<Seen> {
    const text = await readFile(join(this.#folder, 'seen.json'), 'utf8').catch(() => null);
    const {
      modes,
      unkept,
      recent,
      folders = null,
    } = text === null ? NOTHING_SEEN : (JSON.parse(text) as Partial<Seen>);
    // Paths are keys: none is a name of the language's own.
    const [one, two, three] = [modes, unkept, recent].map((known) => Object.assign(bare(), known));
    return { modes: one as Seen['modes'], unkept: two as Seen['unkept'], recent: three as Seen['recent'], folders };
  }

  /** Whether it was ever brought up to now. */
  async isKnown(): Promise<boolean> {
    return (await lstat(join(this.#folder, 'index')).catch(() => null)) !== null;
  }

  /** Removes what no file of the workspace is any more, where that is much. */
  async tidy(): Promise<void> {
    const settings = ['gc.auto=2000', 'gc.pruneExpire=now', 'gc.autoDetach=false'].flatMap((one) => ['-c', one]);
    await this.#run([...settings, 'gc', '--auto', '--quiet']);
  }

  async #objects(objects: readonly string[]): Promise<(Buffer | null)[]> {
    const out = await this.#run(['cat-file', '--batch'], `${objects.join('\n')}\n`);
    let at = 0;
    return objects.map(() => {
      const end = out.indexOf('\n', at);
      const size = Number(out.toString('utf8', at, end).split(' ')[2] ?? Number.NaN);
      // It says that it is missing, and nothing more.
      if (Number.isNaN(size)) {
        at = end + 1;
        return null;
      }
      at = end + 1 + size + 1;
      return out.subarray(end + 1, end + 1 + size);
    });
  }

  /** Notes what the repository cannot hold of what is at the path; its size in bytes, null where it is not kept. */
  async #see(path: string, seen: Seen, keeps: Keeps): Promise<number | null> {
    const stats = await statsAt(this.#workspace, path);
    for (const known of [seen.modes, seen.unkept, seen.recent]) delete known[path];
    if (stats === null) return null;
    if (!(await keeps(path, stats))) {
      // Pipes and devices are not looked for.
      if (stats.isFile() || stats.isSymbolicLink()) seen.unkept[path] = stampOf(stats);
      return null;
    }
    const mode = Number(stats.mode) & 0o777;
    if (stats.isFile() && mode !== usualMode((mode & EXECUTABLE) !== 0)) seen.modes[path] = mode;
    if (isRecent(stats)) seen.recent[path] = stampOf(stats);
    return Number(stats.size);
  }

  /** Of files that had just changed when they were seen, those that changed again without git noticing. */
  async #unnoticed(found: ReadonlyMap<string, Candidate>): Promise<Candidate[]> {
    const { recent } = await this.seen();
    const paths = new Set<string>();
    for (const [path, stamp] of Object.entries(recent)) {
      const now = found.has(path) ? null : await stampAt(this.#workspace, path);
      if (now !== null && now !== stamp) paths.add(path);
    }
    if (paths.size === 0) return [];
    const out = await this.#run(['ls-files', '--stage', '-z']);
    return out
      .toString('utf8')
      .split('\0')
      .slice(0, -1)
      .map((line) => {
        const [mode = '', object = ''] = line.split(' ');
        return { path: line.slice(line.indexOf('\t') + 1), known: { mode, object } };
      })
      .filter(({ path }) => paths.has(path));
  }

  #passedOver(): string[] {
    const workspace = this.#workspace;
    const own = workspace.own
      .filter((folder) => folder !== workspace.folder && isInside(workspace.folder, folder))
      .map((folder) => `/${relative(workspace.folder, folder).split(sep).join('/')}/`);
    return [...PASSED_OVER, ...own].map((pattern) => `--exclude=${pattern}`);
  }

  #run(args: readonly string[], input?: string): Promise<Buffer> {
    // With `.` git stays in its folder, also if another one gets the path.
    return withRoot(this.#workspace, (root) =>
      this.#git.run({
        args: [...SETTINGS.flatMap((one) => ['-c', one]), ...args],
        cwd: root.through(root.folder),
        ...(input === undefined ? {} : { input }),
        env: { ...WITHOUT_SETTINGS, GIT_DIR: this.#folder, GIT_WORK_TREE: '.' },
      }),
    );
  }
}

/** What `look` asks, with an empty name between the answers; git starts it, because three starts by a large process take longer than all that they do. */
const LOOK = [
  // For a submodule git would start itself with the settings of the submodule.
  'git diff-files --raw -z --no-renames --ignore-submodules=all',
  'git ls-files --others -z --exclude-standard "$@"',
  // Single files, and whole folders with a slash behind.
  'git ls-files --others -z --ignored --exclude-standard --directory "$@"',
].join(" && printf '\\0' && ");

/** The names in each answer. */
function partsOf(out: Buffer): [string[], string[], string[]] {
  const parts: [string[], string[], string[]] = [[], [], []];
  let at = 0;
  for (const name of out.toString('utf8').split('\0'))
    if (name === '') at += 1;
    else parts[at]?.push(name);
  return parts;
}

const NOTHING_SEEN: Seen = { modes: {}, unkept: {}, recent: {}, folders: null };
const nothing: Keeps = () => Promise.resolve(false);
/** Names that other systems refuse are names. */
const SETTINGS = [
  ...['core.bare=false', 'core.autocrlf=false', 'index.version=4'],
  ...['core.protectNTFS=false', 'core.protectHFS=false'],
];

function bare<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function isRecent({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) < RECENT_MS;
}

/** From then on git notices by itself. */
async function forgetOld(workspace: Workspace, { recent }: Seen): Promise<void> {
  for (const path of Object.keys(recent)) {
    const stats = await statsAt(workspace, path);
    if (stats === null || !isRecent(stats)) delete recent[path];
  }
}

function usualMode(executable: boolean): number {
  return (executable ? 0o777 : 0o666) & ~process.umask();
}
