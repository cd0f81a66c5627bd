/** Undo, redo and rewind as operations with a known result, and what must agree after each of them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import type { Harness } from '../../../support/engine.ts';
import { type ChangedWorkspace, readTree } from './changed-workspace.ts';

export type FolderTree = Record<string, string>;
export type Client = Pick<Harness['runtime'], 'request'>;
export type OperationKind = 'undo' | 'rewind';

/** One direction: what it does, and how files are afterwards. */
export interface UndoOperation {
  run: (client: Client) => Promise<unknown>;
  tree: FolderTree;
  state: 'done' | 'undone';
}

/** Both states of the files. Leaves them as the agents did. */
export async function learnTrees({
  folder,
  runtime,
  undo,
}: ChangedWorkspace): Promise<{ done: FolderTree; undone: FolderTree }> {
  const done = await readTree(folder);
  await undo(runtime);
  const undone = await readTree(folder);
  await undo(runtime, true);
  expect(await readTree(folder)).toEqual(done);
  return { done, undone };
}

/** Back and forth: an undo or a rewind, and the redo of its files. */
export function listOperations(
  { undo, rewind }: Pick<ChangedWorkspace, 'undo' | 'rewind'>,
  { done, undone }: { done: FolderTree; undone: FolderTree },
  kind: OperationKind,
): readonly [back: UndoOperation, forth: UndoOperation] {
  return [
    { run: (client) => (kind === 'rewind' ? rewind(client) : undo(client)), tree: undone, state: 'undone' },
    { run: (client) => undo(client, true), tree: done, state: 'done' },
  ];
}

/** Returns whether the second operation is complete. Fails unless files, list, forks and events agree. */
export async function checkAgreement(
  { folder, conversationId, store }: Pick<ChangedWorkspace, 'folder' | 'conversationId'> & { store: Harness['store'] },
  client: Client,
  [before, after]: readonly [UndoOperation, UndoOperation],
  since: number,
): Promise<boolean> {
  const rows = await client.request('change.list', { conversationId });
  const tree = await readTree(folder);
  const isDone = JSON.stringify(tree) === JSON.stringify(after.tree);
  const now = isDone ? after : before;
  expect(tree).toEqual(now.tree);
  expect([...new Set(rows.flatMap(({ files }) => files.map(({ state }) => state)))]).toEqual([now.state]);
  const events = await store.events(conversationId, since + 1, 1e6);
  const count = (type: DurableEvent['type']): number => events.filter((event) => event.type === type).length;
  expect(count('change-undo')).toBe(isDone ? 1 : 0);
  // A fork leaves the trash only once its files are undone.
  expect(count('workflow-fork')).toBeLessThanOrEqual(isDone ? 1 : 0);
  expect(await readdir(join(`${folder}-replaced`, 'unfinished'))).toEqual([]);
  return isDone;
}
