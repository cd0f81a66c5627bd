/** A workspace whose changes are found, kept and put back, with real git. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ChangeSet } from '#contract/change.ts';
import { newId } from '#core/base/ids.ts';
import type { Call } from '#core/workspace/snapshots.ts';
import { carryOut, changesOf, planUndo, undoOf } from '#core/workspace/undo.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { folderWith, workspaceIn } from './workspace.ts';

export const hasGit = spawnSync('git', ['--version']).status === 0;

export async function keptPlace(files: Record<string, string> = {}) {
  const [folder, data] = [await folderWith(files), await folderWith()];
  const workspaces = new Workspaces({ kept: join(data, 'kept'), data }, process.env);
  const workspace = workspaceIn(folder);
  const conversationId = newId();
  const call = (): Call => ({
    conversationId,
    workflowId: conversationId,
    runId: conversationId,
    toolCallId: newId(),
    agent: 'lead',
    tool: 'bash',
    folder,
    at: new Date().toISOString(),
  });
  const { snapshots } = workspaces;
  const at = (path: string): string => join(folder, path);
  return {
    folder,
    data,
    workspaces,
    workspace,
    snapshots,
    call,
    at,
    /** What the work has changed. */
    track: async (work: () => Promise<unknown>): Promise<ChangeSet | null> => {
      const one = call();
      await snapshots.open(workspace, one);
      await work();
      return snapshots.close(workspace, one);
    },
    undo: async (...sets: ChangeSet[]) => {
      const changes = sets.flatMap((set) => changesOf([set], { runId: set.runId })).map(({ file }) => file);
      const plan = await planUndo(workspaces, workspace, { conversationId, changes });
      const { files, bytes } = undoOf(plan);
      const undo = {
        id: newId(),
        conversationId,
        folder,
        at: new Date().toISOString(),
        calls: [],
        files,
        folders: {},
        takesBack: [],
        redone: false,
      };
      await workspaces.changes.startUndo(undo, bytes);
      await carryOut(workspace, plan, { mark: undo.id });
      await workspaces.changes.finishUndo(undo);
      await workspaces.changes.removeStarted(undo);
      return { plan, redo: { ...sets[0]!, files } };
    },
  };
}

export const paths = (set: ChangeSet | null) => set?.files.map(({ path }) => path);
