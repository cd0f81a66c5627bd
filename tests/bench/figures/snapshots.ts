/** What it costs to find what a command changed in a large workspace. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#core/base/ids.ts';
import { readFolderIdSync } from '#core/workspace/roots.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { clock } from '../clock.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import type { Session } from '../session.ts';
import { longestBlock } from '../side.ts';
import { median } from '../statistics.ts';
import { seedTree } from '../tree.ts';

const CHANGED = 20;

export async function snapshotFigures(session: Session): Promise<Figure[]> {
  const { searched, searches } = session.sizes;
  const [folder, data] = [await session.folder('tree'), await session.folder('kept')];
  const { snapshots } = new Workspaces({ kept: join(data, 'replaced'), data }, process.env);
  const what = `look at ${searched} files for what a command changed`;
  if (!(await snapshots.isAvailable())) return [unmeasured('snapshot', what, {}, 'no git')];
  await seedTree(folder, searched);
  const workspace = { folder, root: readFolderIdSync(folder)!, own: [], sessions: [], secrets: NO_FILES };
  const timed = async (work: () => Promise<unknown>): Promise<{ ms: number; blockedMs: number }> => {
    const start = clock();
    const { blockedMs } = await longestBlock(work);
    return { ms: clock() - start, blockedMs };
  };
  const first = await timed(() => snapshots.settle(workspace));
  const same = [];
  const changed = [];
  for (let n = 0; n < searches; n += 1) {
    same.push(await timed(() => snapshots.settle(workspace)));
    const id = newId();
    const call = { conversationId: id, workflowId: id, runId: id, toolCallId: id, agent: 'lead', tool: 'bash', folder };
    const opened = { ...call, at: new Date().toISOString() };
    await snapshots.open(workspace, opened);
    for (let file = 0; file < CHANGED; file += 1) await writeFile(join(folder, `new-${file}.txt`), `${n} ${file}`);
    changed.push(await timed(() => snapshots.close(workspace, opened)));
    for (let file = 0; file < CHANGED; file += 1) await rm(join(folder, `new-${file}.txt`));
  }
  const blocked = Math.max(...[...same, ...changed].map(({ blockedMs }) => blockedMs));
  const of = (runs: readonly { ms: number }[]): number => median(runs.map(({ ms }) => ms));
  return [
    figure({ id: 'snapshot-same', title: `${what}: nothing`, unit: 'ms', bar: { atMost: 300 }, ours: of(same) }),
    figure({ id: 'snapshot-changed', title: `${what}: ${CHANGED} files, kept`, unit: 'ms', ours: of(changed) }),
    figure({ id: 'snapshot-first', title: `${what}: the first look`, unit: 'ms', ours: first.ms }),
    figure({ id: 'snapshot-blocked', title: `${what}: longest block`, unit: 'ms', bar: { atMost: 50 }, ours: blocked }),
  ];
}
