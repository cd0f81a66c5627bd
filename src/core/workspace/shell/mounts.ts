/** The mounts over the entries of a workspace. */
import type { OpenEntry } from '../open-entry.ts';
import { isInside } from '../reach.ts';

/** Entries that are mounted over those of the workspace, open by descriptors. `closeMounts` closes them. */
export interface WorkspaceMounts {
  /** Mounted read only, because programs outside the sandbox run them or take settings from them. */
  readOnly: OpenEntry[];
  /** Folders that are mounted as they are. A mounted folder cannot be moved, nor what is read only or hidden in it. */
  unmovable: OpenEntry[];
  /** Folders that are empty in the sandbox. */
  hiddenFolders: OpenEntry[];
  /** Files and sockets that cannot be opened in the sandbox. */
  hiddenFiles: OpenEntry[];
  /** Git directories without a file `commondir`; open because they are `unmovable` too. */
  selfContained: OpenEntry[];
  /** Paths of missing folders that stay empty, such as the hooks of a repository without any. */
  empty: string[];
}

export const createMounts = (): WorkspaceMounts => {
  return { readOnly: [], unmovable: [], hiddenFolders: [], hiddenFiles: [], selfContained: [], empty: [] };
};

/** Removes and closes the mounts in a folder whose mounts are in another layer. */
export async function dropMountsIn(mounts: WorkspaceMounts, folder: string): Promise<WorkspaceMounts> {
  const isOutside = ({ path }: { path: string }): boolean => !isInside(folder, path);
  const split = (entries: OpenEntry[]) => Object.groupBy(entries, (entry) => (isOutside(entry) ? 'kept' : 'dropped'));
  const lists = [mounts.readOnly, mounts.unmovable, mounts.hiddenFolders, mounts.hiddenFiles].map(split);
  await Promise.all(lists.flatMap(({ dropped = [] }) => dropped.map((entry) => entry.close())));
  const [readOnly = [], unmovable = [], hiddenFolders = [], hiddenFiles = []] = lists.map(({ kept = [] }) => kept);
  const selfContained = mounts.selfContained.filter(isOutside);
  const empty = mounts.empty.filter((path) => isOutside({ path }));
  return { readOnly, unmovable, hiddenFolders, hiddenFiles, selfContained, empty };
}

export async function closeMounts({ readOnly, unmovable, hiddenFolders, hiddenFiles }: WorkspaceMounts): Promise<void> {
  await Promise.all([...readOnly, ...unmovable, ...hiddenFolders, ...hiddenFiles].map((entry) => entry.close()));
}
