/** Measures the disk of the archive, and a start that rebuilds a damaged store from it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHIVE } from '#core/store/archive/archive-folder.ts';
import { flipBit } from '../../soak/flips/positions.ts';
import { clock } from '../clock.ts';
import { type Figure, figure } from '../figure.ts';
import { folderSize } from '../folder-size.ts';
import type { Session } from '../session.ts';

const KB = 1024;

export async function recoveryFigures(session: Session): Promise<Figure[]> {
  const count = session.sizes.batch * Math.min(3, session.sizes.batches);
  const server = await session.server('scripted', '0', '0');
  const url = await server.ask('url');
  const folder = await session.folder('recovery');
  const start = async (): Promise<number> => {
    const startedAt = clock();
    await (await session.ours(url, folder)).close();
    return clock() - startedAt;
  };
  const peer = await session.ours(url, folder);
  await peer.ask('batch', count);
  await peer.close();
  const archived = await folderSize(join(folder, ARCHIVE));
  const intactMs = await start();
  await damage(join(folder, 'store'));
  const damagedMs = await start();
  const names = await readdir(folder);
  if (!names.some((name) => name.startsWith('store.recovered-'))) throw new Error('the damaged store was not rebuilt');
  return [
    figure({
      id: 'disk-archive',
      title: 'disk per workflow in the archive',
      unit: 'KB',
      bar: { atMost: 15 },
      ours: archived / count / KB,
      note: `of ${count} workflows, each in a conversation of its own`,
    }),
    figure({
      id: 'recovery',
      title: 'start and end with a damaged store',
      unit: 'ms',
      ours: damagedMs,
      note: `of ${count} workflows, all recovered; with an intact store ${intactMs.toFixed(0)} ms`,
    }),
  ];
}

/** Flips a bit in the list of files: the engine refuses to open such a store. */
async function damage(store: string): Promise<void> {
  const file = (await readdir(store)).find((name) => name.startsWith('MANIFEST'));
  if (file === undefined) throw new Error('the store has no list of files');
  await flipBit(store, { kind: 'MANIFEST', file, offset: 20, bit: 2 });
}
