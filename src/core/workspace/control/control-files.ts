/**
 * Compares the control files of a workspace before and after commands of agents. An answer of the person keeps changed ones,
 * or puts them back. Until then nothing starts outside the sandbox in that workspace.
 */
import { lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ControlChange } from '#contract/approval.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { TriadError } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { cutAtCodePoint } from '../../base/text.ts';
import type { Git } from '../git.ts';
import { OpenEntry } from '../open-entry.ts';
import { isInside, nameWorkspace, type Workspace } from '../reach.ts';
import { isHarmlessConfig, isHarmlessProgress } from './git-config.ts';
import { composeAside, restoreEntry } from './restore-entry.ts';
import {
  type ControlFile,
  type ControlScan,
  isKnownPointer,
  isTriadFile,
  openOuterFolders,
  scanControlFiles,
  formatControlPath,
} from './scan-control-files.ts';

export type ControlDecision = 'keep' | 'put_back';

/** Asks the person what becomes of the changes. */
export type AskAboutChanges = (changes: readonly ControlChange[]) => Promise<ControlDecision>;

/** The changes that were kept, and those that were put back. */
export interface Settlement {
  kept: readonly ControlChange[];
  putBack: readonly ControlChange[];
  /** Folder with the versions that were replaced; null if nothing was put back. */
  movedTo: string | null;
}

type WorkspaceFolder = Pick<Workspace, 'folder'>;

const NO_CHANGES: Settlement = { kept: [], putBack: [], movedTo: null };
/** Maximum number of questions, and of tries to put files back that a command changes again. */
const MAX_ROUNDS = 3;
/** Maximum length of the content in a question, in UTF-16 code units. */
const MAX_SHOWN = 20_000;

const StoredFile = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file'),
    hash: z.string(),
    mode: z.int(),
    isLarge: z.boolean(),
    leadsTo: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('other') }),
]);

/** The control files before the first command whose changes have no answer. */
const Baseline = z.object({
  /** Device and inode of the workspace folder. */
  root: z.string(),
  /** Paths of the git directories outside the workspace. */
  outerFolders: z.array(z.string()).default([]),
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
  readonly #caches: string | null;
  /** Commands that run now, by workspace folder. */
  readonly #commands = new Map<string, number>();
  /** Folders of workspaces whose question is open. */
  readonly #openQuestions = new Set<string>();
  /** One settlement at a time for each workspace. */
  readonly #settlements = new Map<string, SerialQueue>();
  /** Changes of the stored baselines. */
  readonly #writes = new SerialQueue();
  #listStartedFiles: (folder: string) => Promise<readonly string[]> = () => Promise.resolve([]);

  /**
   * `folder`: for the baselines and the versions that were replaced; made with the first. `caches`: folder outside the
   * workspaces that commands can write.
   */
  constructor(folder: string, git: Git, caches: string | null) {
    this.#folder = folder;
    this.#git = git;
    this.#caches = caches;
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
          const { files, outerFolders } = await this.#scan(root);
          const baseline = { root: identify(root), outerFolders: [...outerFolders], files: Object.fromEntries(files) };
          await this.#writeBaseline(folder, baseline);
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
   * Call this before a program starts outside the sandbox without a question. Puts back the changes of interrupted commands. Throws `conflict` while a question is open, or while a running command has changed control files.
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
    const movedTo = join(this.#place(root.path), 'replaced', new Date().toISOString().replaceAll(':', '-'));
    let found = await this.#compare(root, baseline);
    for (let round = 0; round < MAX_ROUNDS && found.changes.size > 0; round += 1) {
      if (ask && putBack.size === 0) {
        const shown = found;
        const decision = await this.#ask(root.path, ask, [...shown.changes.values()]);
        found = await this.#compare(root, baseline);
        if (decision === 'keep') {
          if (!isSameState(shown, found)) continue;
          await this.#close(root.path, found.scan);
          return { kept: [...shown.changes.values()], putBack: [], movedTo: null };
        }
      }
      for (const [path, change] of found.changes) putBack.set(path, change);
      await this.#putBack(root, baseline, found, round === 0 ? movedTo : join(movedTo, `again-${round}`));
      found = await this.#compare(root, baseline);
    }
    if (found.changes.size > 0)
      throw new TriadError(
        'conflict',
        `A running command changes ${listPaths(found)} again and again: stop it first. Nothing starts outside the sandbox in ${root.path} until then`,
      );
    await this.#close(root.path, found.scan);
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
    const scan = await this.#scan(root, baseline.outerFolders);
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

  async #scan(root: OpenEntry, outerFolders: readonly string[] = []): Promise<ControlScan> {
    const [started, caches] = [await this.#listStartedFiles(root.path), this.#caches];
    return scanControlFiles(root, { started, caches, outerFolders, store: this.#store(root.path) });
  }

  async #isHarmless(
    root: string,
    path: string,
    { hadFile, old, bytes }: { hadFile: boolean; old: Buffer | null; bytes: Buffer },
    scan: ControlScan,
  ): Promise<boolean> {
    if (isTriadFile(root, path)) return false;
    const name = basename(path);
    if (/^(git-rebase-todo|strategy)$/.test(name)) return isHarmlessProgress(name, old, bytes);
    if (!/^(config(\.worktree)?|opts)$/.test(name)) return isKnownPointer(path, bytes, root, scan);
    if (hadFile && old === null) return false;
    return isHarmlessConfig(this.#git, { path, before: old, after: bytes }, root);
  }

  async #putBack(root: OpenEntry, baseline: Baseline, found: ControlComparison, movedTo: string): Promise<void> {
    const { changes } = found;
    const files = baseline.files;
    const isLost = (path: string): boolean => files[path]?.kind === 'file' && files[path].isLarge;
    if ([...changes.keys()].some(isLost))
      throw new TriadError(
        'conflict',
        `${listPaths(found)} cannot be put back, because a file was too large to be stored. Restore it yourself: nothing starts outside the sandbox in ${root.path} until then`,
      );
    const outer = await openOuterFolders(root, baseline.outerFolders);
    // The most specific one first: a git directory around the workspace may be above it.
    const bases = [root, ...outer].toSorted((a, b) => b.path.length - a.path.length);
    try {
      // New entries may be in the way of old ones.
      const isAdded = (path: string): number => (changes.get(path)?.change === 'added' ? 0 : 1);
      for (const path of [...changes.keys()].toSorted((a, b) => isAdded(a) - isAdded(b) || (a < b ? -1 : 1))) {
        const base = bases.find((one) => isInside(one.path, path));
        const after = found.scan.files.get(path) ?? null;
        const before = isMovedTarget(files[path] ?? null, after) ? null : (files[path] ?? null);
        const aside = composeAside(movedTo, isInside(root.path, path) ? relative(root.path, path) : path);
        if (base) await restoreEntry(base, path, { before, bytes: await this.#readStored(root.path, before), aside });
      }
    } finally {
      await Promise.all(outer.map((entry) => entry.close()));
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
    await mkdir(this.#place(folder), { recursive: true, mode: 0o700 });
    await writeAtomically(this.#baselineFile(folder), JSON.stringify(baseline), { mode: 0o600, sync: false });
  }

  /** Stores contents by their hash. */
  #store(folder: string): (hash: string, bytes: Buffer) => Promise<void> {
    const contents = this.#contents(folder);
    return async (hash, bytes) => {
      const file = join(contents, hash);
      if ((await lstat(file).catch(() => null))?.size === bytes.length) return;
      await mkdir(contents, { recursive: true, mode: 0o700 });
      await writeAtomically(file, bytes, { mode: 0o600, sync: false });
    };
  }

  async #deleteOtherContents(folder: string, files: ReadonlyMap<string, ControlFile>): Promise<void> {
    const hashes = new Set([...files.values()].flatMap((file) => (file.kind === 'file' ? [file.hash] : [])));
    const names = await readdir(this.#contents(folder)).catch((): string[] => []);
    const others = names.filter((name) => !hashes.has(name));
    await Promise.all(others.map((name) => rm(join(this.#contents(folder), name), { force: true })));
  }

  async #readStored(folder: string, file: ControlFile | null): Promise<Buffer | null> {
    if (file?.kind !== 'file' || file.isLarge) return null;
    return readFile(join(this.#contents(folder), file.hash)).catch(() => null);
  }

  #baselineFile(folder: string): string {
    return join(this.#place(folder), 'baseline.json');
  }

  #contents(folder: string): string {
    return join(this.#place(folder), 'contents');
  }

  #place(folder: string): string {
    return join(this.#folder, nameWorkspace({ folder }));
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

/** Returns whether only the target of a pointer changed: the file itself cannot be put back then. */
const isMovedTarget = (before: ControlFile | null, after: ControlFile | null): boolean =>
  before?.kind === 'file' && after?.kind === 'file' && before.hash === after.hash && before.leadsTo !== after.leadsTo;

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
