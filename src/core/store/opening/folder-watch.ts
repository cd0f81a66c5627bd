/**
 * Notices that the folder of an open store was moved away or deleted. The engine keeps its files open and would go on
 * writing into them, although they have no name any more.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, TriadError } from '../../base/errors.ts';

const INTERVAL_MS = 200;
/** Looks in a row that must agree. */
const LOOKS = 2;

/** Aborts with `store_failed` once the folder has gone. */
export interface FolderWatch {
  readonly lost: AbortSignal;
  end(): void;
}

/** To be called when the store is open. */
export async function watchFolder(folder: string): Promise<FolderWatch> {
  const controller = new AbortController();
  const first = await stat(folder, { bigint: true });
  let gone = 0;
  const look = async (): Promise<void> => {
    gone = (await isGone()) ? gone + 1 : 0;
    if (gone < LOOKS || controller.signal.aborted) return;
    clearInterval(timer);
    controller.abort(vanished(folder));
  };
  const isGone = async (): Promise<boolean> => {
    try {
      const now = await stat(folder, { bigint: true });
      // The file that the engine begins with; it is replaced at times, but never away.
      await stat(join(folder, 'CURRENT'));
      return now.ino !== first.ino || now.dev !== first.dev;
    } catch (error) {
      return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
    }
  };
  const timer = setInterval(() => void look(), INTERVAL_MS).unref();
  return { lost: controller.signal, end: () => clearInterval(timer) };
}

function vanished(folder: string): TriadError {
  return new TriadError(
    'store_failed',
    `The folder of the store is gone, so all work was stopped: put ${folder} back, or restore a backup with "triad restore DIR", then start Triad again.`,
  );
}
