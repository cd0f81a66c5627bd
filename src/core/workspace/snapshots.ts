/**
 * Finds what a command changed in a workspace, and what was there before: a shadow git repository of the program's own
 * knows each workspace as it was last seen. The workspace need not be a repository, and its own is never touched.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import { ChangeSet, type FileChange } from '#contract/change.ts';
import { writeAtomically } from '../base/atomic-file.ts';
import { TriadError } from '../base/errors.ts';
import { sha256 } from '../base/hash.ts';
import type { Changes } from './changes.ts';
import { type FileNow, isSame, readState, stateOf } from './file-state.ts';
import type { Git } from './git.ts';
import { isKept, keeper, type Keeps, stampAt, statsAt } from './kept-files.ts';
import { isInside, type Workspace } from './reach.ts';
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
/** Which call changes something, before it is known what. */
const Call = ChangeSet.omit({ files: true, notKept: true });
export type Call = z.infer<typeof Call>;

/** What the repository cannot hold of the files as they were last seen. */
interface Seen {
  /** Permissions that are not the usual ones. */
  modes: Record<string, number>;
  /** By what files are known again that cannot be kept: too large, or refused by git or the system. */
  unkept: Record<string, string>;
  /** By what those are known that changed so short before that git, which knows whole seconds, might not notice the next change. */
  recent: Record<string, string>;
}

/** A path that the repository knows otherwise than it is now, or not at all. */
interface Candidate {
  path: string;
  /** What the repository knows: mode and object; null where nothing. */
  known: { mode: string; object: string } | null;
}

export class Snapshots {
  readonly #folder: string;
  readonly #git: Git;
  readonly #changes: Changes;
  /** Calls that work now, by run and id. */
  readonly #live = new Set<string>();

  /** `folder`: for the repositories; made when the first is. */
  constructor(folder: string, git: Git, changes: Changes) {
    this.#folder = folder;
    this.#git = git;
    this.#changes = changes;
  }

  /** Whether what a command changes can be kept at all: git is there. */
  async isAvailable(): Promise<boolean> {
    return (await this.#git.file()) !== null;
  }

  /** Whether the workspace was looked at before: else the first look may take seconds. */
  async isKnown(workspace: Workspace): Promise<boolean> {
    return (await lstat(join(this.#repository(workspace), 'index')).catch(() => null)) !== null;
  }

  /**
   * What of the workspace is not kept, as it is now, sorted: folders that git ignores or that are repositories,
   * each with a slash behind, and files that cannot be kept, such as large ones.
   */
  async notKept(workspace: Workspace): Promise<string[]> {
    await this.#prepare(workspace);
    const { candidates, folders } = await this.#look(workspace);
    const keeps = keeper(workspace);
    const isUnkept = async ({ path }: Candidate): Promise<string[]> => {
      const stats = await statsAt(workspace, path);
      return stats && !(await keeps(path, stats)) ? [path] : [];
    };
    const files: string[] = [];
    for (let at = 0; at < candidates.length; at += AT_ONCE)
      files.push(...(await Promise.all(candidates.slice(at, at + AT_ONCE).map(isUnkept))).flat());
    return [...folders, ...files].sort();
  }

  /**
   * From now until `close` changes of the workspace are the call's; of several calls, those of the last that was opened.
   * What changed before belongs to nobody, or to a call that a killed program left open. The caller holds the lock.
   * Throws `limit_reached` where the workspace is too large.
   */
  async open(workspace: Workspace, call: Call): Promise<void> {
    await this.settle(workspace);
    this.#live.add(call.runId + call.toolCallId);
    await this.#writeCalls(workspace, [...(await this.#calls(workspace)), call]);
  }

  /** Resolves with what the call has changed, which is kept; null where it changed nothing. The caller holds the lock. */
  async close(workspace: Workspace, call: Call): Promise<ChangeSet | null> {
    this.abandon(call);
    return this.settle(workspace);
  }

  /** What it changes is kept as if the program had been killed: with the next look at the workspace. */
  abandon(call: Call): void {
    this.#live.delete(call.runId + call.toolCallId);
  }

  /** Brings the repository up to now, and keeps what changed for the call that it belongs to. The caller holds the lock. */
  async settle(workspace: Workspace): Promise<ChangeSet | null> {
    await this.#prepare(workspace);
    const calls = await this.#calls(workspace);
    const call = calls.at(-1);
    const { candidates } = await this.#look(workspace);
    const set = call ? await this.#setOf(workspace, call, candidates) : null;
    const isEmpty = !set || set.files.length + set.notKept.length === 0;
    if (!isEmpty) await this.#changes.add(set);
    // Only now: a kill before this line makes the next one find the same once more.
    await this.#take(workspace, candidates);
    const live = calls.filter((one) => this.#live.has(one.runId + one.toolCallId));
    if (live.length < calls.length) await this.#writeCalls(workspace, live);
    return isEmpty ? null : set;
  }

  async #calls(workspace: Workspace): Promise<Call[]> {
    const text = await readFile(join(this.#repository(workspace), 'calls.json'), 'utf8').catch(() => '[]');
    return z.array(Call).parse(JSON.parse(text));
  }

  async #writeCalls(workspace: Workspace, calls: readonly Call[]): Promise<void> {
    await writeAtomically(join(this.#repository(workspace), 'calls.json'), JSON.stringify(calls), { sync: false });
  }

  async #setOf(workspace: Workspace, call: Call, candidates: readonly Candidate[]): Promise<ChangeSet> {
    const { modes, unkept } = await this.#seen(workspace);
    const keeps = keeper(workspace);
    const files: FileChange[] = [];
    const paths = new Set(candidates.map(({ path }) => path));
    const notKept = Object.keys(unkept).filter((path) => !paths.has(path));
    for (let at = 0; at < candidates.length; at += AT_ONCE) {
      const some = candidates.slice(at, at + AT_ONCE);
      const before = await this.#before(workspace, some, modes);
      const after = await Promise.all(some.map(({ path }) => this.#after(workspace, path, keeps)));
      for (const [index, { path }] of some.entries()) {
        const [was, is] = [before[index] ?? null, after[index]];
        const isUnknown = is === undefined || before[index] === undefined || unkept[path] !== undefined;
        if (isUnknown && unkept[path] !== (await stampAt(workspace, path))) notKept.push(path);
        // Of what cannot be kept now what it was is kept all the same: to undo it, what is in the way has to go.
        const now = is ?? null;
        if ((isUnknown && was === null) || isSame(stateOf(was), stateOf(now))) continue;
        const bytes = [was, now].flatMap((side) => (side === null ? [] : [side.bytes]));
        await this.#changes.keepBytes(call.conversationId, bytes);
        files.push({ path, before: stateOf(was), after: stateOf(now) });
      }
    }
    return { ...call, files, notKept };
  }

  /** What the repository knows of them; undefined where it has lost it. */
  async #before(
    workspace: Workspace,
    candidates: readonly Candidate[],
    modes: Seen['modes'],
  ): Promise<(FileNow | null | undefined)[]> {
    const objects = candidates.flatMap(({ known }) => (known ? [known.object] : []));
    const bytes = objects.length === 0 ? [] : await this.#objects(workspace, objects);
    return candidates.map(({ path, known }) => {
      if (known === null) return null;
      const content = bytes.shift() ?? null;
      if (content === null) return undefined;
      if (known.mode === LINK) return { kind: 'link', bytes: content, mode: 0 };
      return { kind: 'file', bytes: content, mode: modes[path] ?? usualMode(known.mode.endsWith('755')) };
    });
  }

  /** What is there now; undefined where it is not kept. */
  async #after(workspace: Workspace, path: string, keeps: Keeps): Promise<FileNow | null | undefined> {
    const stats = await statsAt(workspace, path);
    if (stats === null) return null;
    if (!(await keeps(path, stats))) return undefined;
    const file = await readState(workspace, path).catch((error: unknown) => {
      if (error instanceof TriadError) return undefined;
      throw error;
    });
    // Of folders git knows only what is in them.
    return file?.kind === 'folder' ? null : file;
  }

  async #objects(workspace: Workspace, objects: readonly string[]): Promise<(Buffer | null)[]> {
    const out = await this.#run(workspace, ['cat-file', '--batch'], `${objects.join('\n')}\n`);
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

  /** Makes the repository know them as they are now. Throws `limit_reached` where they are too much. */
  async #take(workspace: Workspace, candidates: readonly Candidate[]): Promise<void> {
    const seen = await this.#seen(workspace);
    const paths = new Set(candidates.map(({ path }) => path));
    const gone = Object.keys(seen.unkept).filter((path) => !paths.has(path));
    if (candidates.length + gone.length + Object.keys(seen.recent).length === 0) return;
    for (const path of gone) delete seen.unkept[path];
    await forgetOld(workspace, seen);
    const keeps = keeper(workspace);
    const kept: string[] = [];
    const dropped: string[] = [];
    let total = 0;
    for (let at = 0; at < candidates.length; at += AT_ONCE) {
      await Promise.all(
        candidates.slice(at, at + AT_ONCE).map(async ({ path, known }) => {
          const bytes = await this.#see(workspace, path, seen, keeps);
          if (bytes !== null) kept.push(path);
          else if (known) dropped.push(path);
          total += bytes ?? 0;
        }),
      );
      if (total > MAX_TOTAL_BYTES)
        throw new TriadError(
          'limit_reached',
          `${workspace.folder} holds too much to keep what a command changes in it`,
        );
    }
    if (Object.keys(seen.recent).length > MAX_RECENT) seen.recent = {};
    await writeAtomically(join(this.#repository(workspace), 'seen.json'), JSON.stringify(seen), { sync: false });
    const names = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('');
    if (dropped.length > 0)
      await this.#run(workspace, ['update-index', '-z', '--force-remove', '--stdin'], names(dropped));
    const add = ['-c', 'core.looseCompression=1', 'update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    if (kept.length > 0) await this.#run(workspace, add, names(kept));
  }

  /** Notes what the repository cannot hold of what is at the path; its size in bytes, null where it is not kept. */
  async #see(workspace: Workspace, path: string, seen: Seen, keeps: Keeps): Promise<number | null> {
    const stats = await statsAt(workspace, path);
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

  /** Everything that is not as the repository knows it, sorted, and folders that are not kept. */
  async #look(workspace: Workspace): Promise<{ candidates: Candidate[]; folders: string[] }> {
    const [raw, others, ignored] = await Promise.all([
      this.#run(workspace, ['diff-files', '--raw', '-z', '--no-renames']),
      this.#list(workspace, ['--exclude-standard']),
      // Single files, and whole folders with a slash behind.
      this.#list(workspace, ['--ignored', '--exclude-standard', '--directory']),
    ]);
    const found = new Map<string, Candidate>();
    const folders: string[] = [];
    const fields = raw.toString('utf8').split('\0');
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [mode = '', , object = ''] = (fields[at] ?? '').slice(1).split(' ');
      const path = fields[at + 1] ?? '';
      if (isKept(workspace, path)) found.set(path, { path, known: { mode, object } });
    }
    for (const path of [...others, ...ignored]) {
      const isFolder = path.endsWith('/');
      if (!isKept(workspace, isFolder ? path.slice(0, -1) : path)) continue;
      if (isFolder) folders.push(path);
      else if (!found.has(path)) found.set(path, { path, known: null });
    }
    for (const one of await this.#unnoticed(workspace, found)) found.set(one.path, one);
    return { candidates: [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), folders };
  }

  /** Of files that had just changed when they were seen, those that changed again without git noticing. */
  async #unnoticed(workspace: Workspace, found: ReadonlyMap<string, Candidate>): Promise<Candidate[]> {
    const { recent } = await this.#seen(workspace);
    const paths = new Set<string>();
    for (const [path, stamp] of Object.entries(recent)) {
      const now = found.has(path) ? null : await stampAt(workspace, path);
      if (now !== null && now !== stamp) paths.add(path);
    }
    if (paths.size === 0) return [];
    const out = await this.#run(workspace, ['ls-files', '--stage', '-z']);
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

  async #list(workspace: Workspace, options: readonly string[]): Promise<string[]> {
    const own = workspace.own
      .filter((folder) => folder !== workspace.folder && isInside(workspace.folder, folder))
      .map((folder) => `/${relative(workspace.folder, folder).split(sep).join('/')}/`);
    const excluded = [...PASSED_OVER, ...own].map((pattern) => `--exclude=${pattern}`);
    const out = await this.#run(workspace, ['ls-files', '--others', '-z', ...options, ...excluded]);
    return out.toString('utf8').split('\0').slice(0, -1);
  }

  async #seen(workspace: Workspace): Promise<Seen> {
    const text = await readFile(join(this.#repository(workspace), 'seen.json'), 'utf8').catch(() => null);
    const { modes, unkept, recent } = text === null ? NOTHING_SEEN : (JSON.parse(text) as Partial<Seen>);
    // Paths are keys: none is a name of the language's own.
    const [one, two, three] = [modes, unkept, recent].map((known) => Object.assign(bare(), known));
    return { modes: one as Seen['modes'], unkept: two as Seen['unkept'], recent: three as Seen['recent'] };
  }

  /** Makes the repository where it is missing. */
  async #prepare(workspace: Workspace): Promise<void> {
    const repository = this.#repository(workspace);
    // Whoever held it was killed: only one program uses it, under the workspace's lock.
    await rm(join(repository, 'index.lock'), { force: true });
    if (await lstat(join(repository, 'info', 'attributes')).catch(() => null)) return;
    await mkdir(repository, { recursive: true, mode: 0o700 });
    const init = ['init', '--quiet', '--bare', '--template=', repository];
    await this.#git.run({ args: init, cwd: repository, env: ALONE });
    await mkdir(join(repository, 'info'), { recursive: true });
    await writeAtomically(join(repository, 'info', 'attributes'), ATTRIBUTES);
  }

  #repository(workspace: Workspace): string {
    return join(this.#folder, sha256(workspace.folder).slice(0, 32));
  }

  #run(workspace: Workspace, args: readonly string[], input?: string): Promise<Buffer> {
    return this.#git.run({
      args: [...SETTINGS.flatMap((one) => ['-c', one]), ...args],
      cwd: workspace.folder,
      ...(input === undefined ? {} : { input }),
      env: { ...ALONE, GIT_DIR: this.#repository(workspace), GIT_WORK_TREE: workspace.folder },
    });
  }
}

const NOTHING_SEEN: Seen = { modes: {}, unkept: {}, recent: {} };
/** Names that other systems refuse are names. */
const SETTINGS = [
  ...['core.bare=false', 'core.autocrlf=false', 'index.version=4'],
  ...['core.protectNTFS=false', 'core.protectHFS=false'],
];
const ALONE = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

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
