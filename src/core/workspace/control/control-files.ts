/**
 * Compares the control files of a workspace before and after commands of agents. An answer of the person keeps changed ones,
 * or puts them back. Until then nothing starts outside the sandbox in that workspace.
 */
import { constants } from 'node:fs';
import { cp, lstat, mkdir, open, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ControlChange } from '#contract/approval.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { cutAtCodePoint } from '../../base/text.ts';
import type { Git } from '../git.ts';
import { OpenEntry } from '../open-entry.ts';
import { isInside, type Workspace } from '../reach.ts';
import { openOuterRepository } from '../shell/repository-mounts.ts';
import { isHarmlessConfig } from './git-config.ts';
import {
  type ControlFile,
  type ControlScan,
  formatControlPath,
  isKnownPointer,
  isTriadFile,
  scanControlFiles,
} from './scan-control-files.ts';

export type ControlDecision = 'keep' | 'put_back';

/** Asks the person what becomes of the changes. */
export type AskAboutChanges = (changes: readonly ControlChange[]) => Promise<ControlDecision>;

/** Result for the changes. Both lists are empty if there were none. */
export interface Settlement {
  kept: readonly ControlChange[];
  putBack: readonly ControlChange[];
  /** Folder with the versions that were replaced; null if nothing was put back. */
  movedTo: string | null;
}

type WorkspaceFolder = Pick<Workspace, 'folder'>;

const NO_CHANGES: Settlement = { kept: [], putBack: [], movedTo: null };
/** Maximum number of questions, and of attempts to put files back that a command changes again. */
const MAX_ROUNDS = 3;
/** Maximum length of the content in a question, in UTF-16 code units. */
const MAX_SHOWN = 20_000;

const StoredFile = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), hash: z.string(), mode: z.int(), isLarge: z.boolean() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('other') }),
]);

/** The control files before the first command whose changes have no answer yet. */
const Baseline = z.object({
  /** Device and inode of the workspace folder. */
  root: z.string(),
  files: z.record(z.string(), StoredFile),
});
type Baseline = z.infer<typeof Baseline>;

interface ControlComparison {
  /** By absolute path. */
  changes: Map<string, ControlChange>;
  scan: ControlScan;
}

export class ControlFiles {
  readonly #folder: string;
  readonly #git: Git;
  /** Commands that run now, by workspace folder. */
  readonly #commands = new Map<string, number>();
  /** Folders of workspaces whose question is open. */
  readonly #openQuestions = new Set<string>();
  /** One settlement at a time for each workspace. */
  readonly #settlements = new Map<string, SerialQueue>();
  /** Changes of the stored baselines. */
  readonly #writes = new SerialQueue();
  #listStartedFiles: (folder: string) => Promise<readonly string[]> = () => Promise.resolve([]);

  /** `folder`: for the baselines and the versions that were replaced; made with the first. */
  constructor(folder: string, git: Git) {
    this.#folder = folder;
    this.#git = git;
  }

  /** Uses this list of files, relative to a workspace, from which MCP servers are started. */
  useStartedFiles(list: (folder: string) => Promise<readonly string[]>): void {
    this.#listStartedFiles = list;
  }

  /** Stores the control files before a command that can write. Call `endCommand` when it has ended. */
  async beginCommand({ folder }: WorkspaceFolder): Promise<void> {
    await this.#writes.add(async () => {
      if ((await this.#readBaseline(folder)) === null)
        await withFolder(folder, async (root) => {
          const { files } = await scanControlFiles(root, await this.#listStartedFiles(folder), this.#store(folder));
          await this.#writeBaseline(folder, { root: identify(root), files: Object.fromEntries(files) });
          await this.#deleteOtherContents(folder, files);
        });
      this.#commands.set(folder, (this.#commands.get(folder) ?? 0) + 1);
    });
  }

  endCommand({ folder }: WorkspaceFolder): void {
    this.#commands.set(folder, Math.max(0, (this.#commands.get(folder) ?? 0) - 1));
  }

  /** Returns whether a command that can write runs in this workspace. */
  isCommandRunning({ folder }: WorkspaceFolder): boolean {
    return (this.#commands.get(folder) ?? 0) > 0;
  }

  /**
   * Decides about the changes since the first unanswered command, also one of an earlier process. Call this before anything
   * starts outside the sandbox. `ask`: null if no answer is possible; the changes are put back then. Throws `conflict` if changes
   * cannot be put back, or if a running command makes them again.
   */
  async settle({ folder }: WorkspaceFolder, ask: AskAboutChanges | null): Promise<Settlement> {
    // The open question is asked again if there are more changes when it is answered.
    if (ask && this.#openQuestions.has(folder)) return NO_CHANGES;
    const queue = this.#settlements.get(folder) ?? new SerialQueue();
    this.#settlements.set(folder, queue);
    return queue.add(async () => {
      const baseline = await this.#readBaseline(folder);
      return baseline ? withFolder(folder, (root) => this.#settle(root, baseline, ask)) : NO_CHANGES;
    });
  }

  /**
   * Call this before a program starts outside the sandbox without a question. Puts back what interrupted commands left.
   * Throws `conflict` while a question is open, or while a running command has changed control files.
   */
  async ensureSettled({ folder }: WorkspaceFolder): Promise<void> {
    const refuse = (why: string): never => {
      throw new TriadError('conflict', `${why}. Nothing starts outside the sandbox in ${folder} until then`);
    };
    if (this.#openQuestions.has(folder)) refuse('Answer the question about changed files first');
    const isRunning = this.isCommandRunning({ folder });
    await this.settle(
      { folder },
      isRunning ? () => refuse('A running command changed files that start programs') : null,
    );
  }

  async #settle(root: OpenEntry, baseline: Baseline, ask: AskAboutChanges | null): Promise<Settlement> {
    // The person replaced the folder: commands cannot.
    if (baseline.root !== identify(root)) {
      await this.#close(root.path, null);
      return NO_CHANGES;
    }
    const putBack = new Map<string, ControlChange>();
    const movedTo = join(this.#dataFolder(root.path), 'replaced', new Date().toISOString().replaceAll(':', '-'));
    let comparison = await this.#compare(root, baseline);
    for (let round = 0; round < MAX_ROUNDS && comparison.changes.size > 0; round += 1) {
      const shownChanges = [...comparison.changes.values()];
      if (ask && putBack.size === 0 && (await this.#ask(root.path, ask, shownChanges)) === 'keep') {
        const next = await this.#compare(root, baseline);
        if (isSameState(comparison, next)) {
          await this.#close(root.path, next.scan);
          return { kept: shownChanges, putBack: [], movedTo: null };
        }
        comparison = next;
        continue;
      }
      comparison = await this.#compare(root, baseline);
      for (const [path, change] of comparison.changes) putBack.set(path, change);
      await this.#putBack(root, baseline, comparison, round === 0 ? movedTo : join(movedTo, `again-${round}`));
      comparison = await this.#compare(root, baseline);
    }
    if (comparison.changes.size > 0)
      throw new TriadError(
        'conflict',
        `A running command changes ${listPaths(comparison)} again and again: stop it first. Nothing starts outside the sandbox in ${root.path} until then`,
      );
    await this.#close(root.path, comparison.scan);
    return { kept: [], putBack: [...putBack.values()], movedTo: putBack.size > 0 ? movedTo : null };
  }

  async #ask(folder: string, ask: AskAboutChanges, changes: readonly ControlChange[]): Promise<ControlDecision> {
    this.#openQuestions.add(folder);
    try {
      return await ask(changes);
    } finally {
      this.#openQuestions.delete(folder);
    }
  }

  /** Compares the control files with the stored ones. Stores their contents, from which a later comparison goes on. */
  async #compare(root: OpenEntry, baseline: Baseline): Promise<ControlComparison> {
    const scan = await scanControlFiles(root, await this.#listStartedFiles(root.path), this.#store(root.path));
    const changes = new Map<string, ControlChange>();
    for (const path of [...new Set([...Object.keys(baseline.files), ...scan.files.keys()])].toSorted()) {
      const before = baseline.files[path] ?? null;
      const after = scan.files.get(path) ?? null;
      if (isSameFile(before, after)) continue;
      // Without a file git and servers run less. Settings of Triad may forbid something.
      if (after === null && !isTriadFile(root.path, path)) continue;
      const [old, bytes] = await Promise.all([this.#readStored(root.path, before), this.#readStored(root.path, after)]);
      if (bytes && (await this.#isHarmless(root.path, path, { hadFile: before !== null, old, bytes }, scan))) continue;
      const change = before === null ? 'added' : after === null ? 'removed' : 'changed';
      changes.set(path, { path: formatControlPath(root.path, path), change, content: bytes && decodeText(bytes) });
    }
    return { changes, scan };
  }

  async #isHarmless(
    root: string,
    path: string,
    { hadFile, old, bytes }: { hadFile: boolean; old: Buffer | null; bytes: Buffer },
    scan: ControlScan,
  ): Promise<boolean> {
    if (isTriadFile(root, path)) return false;
    if (!/^config(\.worktree)?$/.test(basename(path))) return isKnownPointer(path, bytes.toString('utf8'), root, scan);
    if (hadFile && old === null) return false;
    return isHarmlessConfig(this.#git, { path, before: old, after: bytes }, root);
  }

  async #putBack(root: OpenEntry, baseline: Baseline, comparison: ControlComparison, movedTo: string): Promise<void> {
    const { changes } = comparison;
    const files = baseline.files;
    const isLost = (path: string): boolean => files[path]?.kind === 'file' && files[path].isLarge;
    if ([...changes.keys()].some(isLost))
      throw new TriadError(
        'conflict',
        `${listPaths(comparison)} cannot be put back, because a file was too large to be stored. Restore it yourself: nothing starts outside the sandbox in ${root.path} until then`,
      );
    const outer = await openOuterRepository(root);
    // The most specific one first: a git directory around the workspace may be above it.
    const bases = [root, ...outer.gitFolders].toSorted((a, b) => b.path.length - a.path.length);
    try {
      // New entries may be in the way of old ones.
      const isAdded = (path: string): number => (changes.get(path)?.change === 'added' ? 0 : 1);
      for (const path of [...changes.keys()].toSorted((a, b) => isAdded(a) - isAdded(b) || (a < b ? -1 : 1))) {
        const base = bases.find((one) => isInside(one.path, path));
        const before = files[path] ?? null;
        const aside = join(movedTo, isInside(root.path, path) ? relative(root.path, path) : path);
        if (base) await restoreEntry(base, path, { before, bytes: await this.#readStored(root.path, before), aside });
      }
    } finally {
      await Promise.all([...outer.gitFolders, ...(outer.top ? [outer.top] : [])].map((entry) => entry.close()));
    }
  }

  /** Ends a settlement. Running commands go on from the state that was compared. */
  #close(folder: string, scan: ControlScan | null): Promise<void> {
    return this.#writes.add(async () => {
      const baseline = await this.#readBaseline(folder);
      if (baseline && scan && this.isCommandRunning({ folder }))
        await this.#writeBaseline(folder, { ...baseline, files: Object.fromEntries(scan.files) });
      else await rm(this.#baselineFile(folder), { force: true });
    });
  }

  async #readBaseline(folder: string): Promise<Baseline | null> {
    const text = await readFile(this.#baselineFile(folder), 'utf8').catch(() => null);
    return text === null ? null : Baseline.parse(JSON.parse(text));
  }

  async #writeBaseline(folder: string, baseline: Baseline): Promise<void> {
    await mkdir(this.#dataFolder(folder), { recursive: true, mode: 0o700 });
    await writeAtomically(this.#baselineFile(folder), JSON.stringify(baseline), { mode: 0o600, sync: false });
  }

  /** Stores contents by their hash. */
  #store(folder: string): (hash: string, bytes: Buffer) => Promise<void> {
    const contents = this.#contentsFolder(folder);
    return async (hash, bytes) => {
      const file = join(contents, hash);
      if ((await lstat(file).catch(() => null))?.size === bytes.length) return;
      await mkdir(contents, { recursive: true, mode: 0o700 });
      await writeAtomically(file, bytes, { mode: 0o600, sync: false });
    };
  }

  async #deleteOtherContents(folder: string, files: ReadonlyMap<string, ControlFile>): Promise<void> {
    const hashes = new Set([...files.values()].flatMap((file) => (file.kind === 'file' ? [file.hash] : [])));
    const names = await readdir(this.#contentsFolder(folder)).catch((): string[] => []);
    const others = names.filter((name) => !hashes.has(name));
    await Promise.all(others.map((name) => rm(join(this.#contentsFolder(folder), name), { force: true })));
  }

  async #readStored(folder: string, file: ControlFile | null): Promise<Buffer | null> {
    if (file?.kind !== 'file' || file.isLarge) return null;
    return readFile(join(this.#contentsFolder(folder), file.hash)).catch(() => null);
  }

  #baselineFile(folder: string): string {
    return join(this.#dataFolder(folder), 'baseline.json');
  }

  #contentsFolder(folder: string): string {
    return join(this.#dataFolder(folder), 'contents');
  }

  #dataFolder(folder: string): string {
    return join(this.#folder, sha256(folder).slice(0, 32));
  }
}

async function withFolder<T>(folder: string, work: (root: OpenEntry) => Promise<T>): Promise<T> {
  const root = await OpenEntry.open(folder);
  if (!root) throw new TriadError('not_found', `${folder} is not a folder any more`);
  try {
    return await work(root);
  } finally {
    await root.close();
  }
}

const identify = ({ stats }: OpenEntry): string => `${stats.dev}:${stats.ino}`;

const isSameFile = (a: ControlFile | null, b: ControlFile | null): boolean => isDeepStrictEqual(a, b);

function isSameState(a: ControlComparison, b: ControlComparison): boolean {
  const paths = [...a.changes.keys()];
  const isSame = (path: string) => isSameFile(a.scan.files.get(path) ?? null, b.scan.files.get(path) ?? null);
  return paths.length === b.changes.size && paths.every((path) => b.changes.has(path) && isSame(path));
}

const listPaths = ({ changes }: ControlComparison): string => [...changes.values()].map(({ path }) => path).join(', ');

function decodeText(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') || text.includes('\0') ? null : cutAtCodePoint(text, MAX_SHOWN);
}

/** Moves what is at a path aside, and writes what was there before. */
async function restoreEntry(
  base: OpenEntry,
  path: string,
  { before, bytes, aside }: { before: ControlFile | null; bytes: Buffer | null; aside: string },
): Promise<void> {
  const parent = await openFolder(base, relative(base.path, dirname(path)), bytes !== null);
  if (!parent) return;
  try {
    const entry = `${parent.through}/${basename(path)}`;
    if (await lstat(entry).catch(() => null)) await moveAside(entry, aside);
    if (before?.kind === 'link') await symlink(before.target, entry);
    if (before?.kind === 'file' && bytes) await createFile(entry, bytes, before.mode);
  } finally {
    await parent.close();
  }
}

/** Opens a folder below another one. `canCreate`: creates missing folders. Returns null if a part of the path is no folder. */
async function openFolder(base: OpenEntry, path: string, canCreate: boolean): Promise<OpenEntry | null> {
  let folder = await base.openEntry('.');
  for (const name of path.split('/').filter((part) => part !== '')) {
    if (canCreate && folder) await mkdir(`${folder.through}/${name}`).catch(() => undefined);
    const next: OpenEntry | null = (await folder?.openEntry(name)) ?? null;
    await folder?.close();
    folder = next;
  }
  return folder;
}

async function moveAside(entry: string, aside: string): Promise<void> {
  await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
  await rename(entry, aside).catch(async () => {
    // Another file system.
    await cp(entry, aside, { recursive: true, verbatimSymlinks: true });
    await rm(entry, { recursive: true });
  });
}

async function createFile(path: string, bytes: Buffer, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, mode);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}
