/** Interrupts the program at one step of its changes of files and of its store, as a kill or a fault of the disk does. */
import files, { type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Harness } from '../../../support/engine.ts';

/** `code`: of the system's error. `lasts`: every later step that needs space fails, too. */
export type InterruptionFault = { kind: 'kill' } | { kind: 'signal' } | { kind: 'disk'; code: string; lasts: boolean };

type PendingWork = (...input: never[]) => Promise<unknown>;

/** Steps that take space on the disk. */
const NEEDS_SPACE: ReadonlySet<string> = new Set(['open', 'mkdir', 'symlink', 'writeFile', 'sync']);
const CHANGES = ['mkdir', 'rename', 'rm', 'rmdir', 'unlink', 'symlink', 'chmod'] as const;
const HANDLE_CHANGES = ['writeFile', 'chmod', 'sync'] as const;

/** The work that can be interrupted now; it is counted step by step. */
let current: { step: (name: string) => Promise<void> } | null = null;

/** Returns the store with each commit as a step. */
export const countingStore = (store: Harness['store']): Harness['store'] => ({
  ...store,
  commit: async (items) => {
    await current?.step('commit');
    await store.commit(items);
  },
});

export interface InterruptionResult<T> {
  /** `killed`: the work stands still for ever. `value` is missing where it is not `done`. */
  end: 'done' | 'failed' | 'killed';
  value?: T;
  error?: unknown;
  /** Number of steps that were reached. */
  steps: number;
}

/**
 * Runs the work and interrupts it before this step, counted from 0, or before the first one for which `at` holds. Only
 * changes of files below `folders` and commits are steps.
 */
export async function interruptAt<T>(
  at: number | ((name: string) => Promise<boolean>),
  fault: InterruptionFault,
  folders: readonly string[],
  work: () => Promise<T>,
): Promise<InterruptionResult<T>> {
  let steps = 0;
  let hit: number | null = null;
  const killed = Promise.withResolvers<'killed'>();
  const opened: FileHandle[] = [];
  const restore = patchFiles(folders, (handle) => opened.push(handle));
  const step = async (name: string): Promise<void> => {
    const number = steps++;
    const isDisk = fault.kind === 'disk' && name !== 'commit';
    const isFirst = hit === null && (typeof at === 'number' ? number === at : await at(name));
    if (isFirst) hit = number;
    const isLater = hit !== null && isDisk && fault.lasts && NEEDS_SPACE.has(name);
    if (!isFirst && !isLater) return;
    if (isDisk) throw Object.assign(new Error(`${fault.code}: ${name}`), { code: fault.code });
    if (fault.kind === 'disk') return;
    if (fault.kind === 'signal') process.kill(process.pid, 'SIGKILL');
    end();
    for (const handle of opened) if (handle.fd >= 0) await handle.close();
    killed.resolve('killed');
    // Nothing after a kill is ever done.
    await new Promise<never>(() => undefined);
  };
  const end = (): void => {
    current = null;
    restore();
  };
  current = { step };
  try {
    const value = await Promise.race([work(), killed.promise]);
    return value === 'killed' ? { end: 'killed', steps } : { end: 'done', value: value as T, steps };
  } catch (error) {
    return { end: 'failed', error, steps };
  } finally {
    end();
  }
}

/** Makes each change of a file in these folders a step. Returns the function that ends it. */
function patchFiles(folders: readonly string[], onOpen: (handle: FileHandle) => void): () => void {
  const isCounted = (path: unknown): boolean =>
    typeof path === 'string' && ['/proc/self/fd/', ...folders].some((folder) => path.startsWith(folder));
  const before = { open: files.open, ...Object.fromEntries(CHANGES.map((name) => [name, files[name]])) };
  for (const name of CHANGES) {
    const change = files[name] as PendingWork;
    const counted = async (...input: never[]): Promise<unknown> => {
      if ([input[0], input[1]].some(isCounted)) await current?.step(name);
      return change(...input);
    };
    Object.assign(files, { [name]: counted });
  }
  const open = async (...[path, flags, mode]: Parameters<typeof files.open>): Promise<FileHandle> => {
    const isWrite = typeof flags === 'number' && (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    const isStep = isWrite && isCounted(path);
    if (isStep) await current?.step('open');
    const handle = await before.open(path, flags, mode);
    if (isCounted(path)) onOpen(handle);
    if (!isStep) return handle;
    for (const name of HANDLE_CHANGES) {
      const change = (handle[name] as PendingWork).bind(handle);
      const counted = async (...input: never[]): Promise<unknown> => {
        await current?.step(name);
        return change(...input);
      };
      Object.assign(handle, { [name]: counted });
    }
    return handle;
  };
  Object.assign(files, { open });
  syncBuiltinESMExports();
  return () => {
    Object.assign(files, before);
    syncBuiltinESMExports();
  };
}
