/** What the program keeps of the workspaces that agents change, and who may change them now. */
import { join } from 'node:path';
import type { Environment } from '../base/child-environment.ts';
import { Changes } from './changes.ts';
import { ControlFiles } from './control/control-files.ts';
import { Git } from './git.ts';
import { PinnedFolders } from './roots.ts';
import { Snapshots } from './snapshots.ts';
import { UnredactedFiles } from './unredacted-files.ts';
import { WorkspaceLock } from './workspace-lock.ts';

export class Workspaces {
  readonly changes: Changes;
  /** Folder for the caches of package managers. */
  readonly caches: string;
  /** Compares files that start or configure programs outside the sandbox. */
  readonly controlFiles: ControlFiles;
  readonly git: Git;
  readonly lock = new WorkspaceLock();
  /** Undos that change files now, by folder. */
  readonly runningUndos = new Map<string, Promise<unknown>>();
  readonly roots = new PinnedFolders();
  readonly snapshots: Snapshots;
  readonly unredactedFiles = new UnredactedFiles();

  /** `kept`: for change sets; `data`: for what can be made again. Both are made when something is kept. `env`: that of the program. */
  constructor({ kept, data }: { kept: string; data: string }, env: Environment) {
    this.changes = new Changes(kept);
    this.caches = join(data, 'caches');
    this.git = new Git(env);
    this.controlFiles = new ControlFiles(join(data, 'control-files'), this.git, this.caches);
    this.snapshots = new Snapshots(join(data, 'snapshots'), this.git, this.changes);
  }

  /** Call this before a program starts outside the sandbox. Throws what `ensureSettled` and `Root.open` throw. */
  async ensureStart(folder: string): Promise<void> {
    await this.roots.check(folder);
    await this.controlFiles.ensureSettled({ folder });
  }
}
