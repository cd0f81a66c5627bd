/** What a workflow makes of the store: rows, commits, and the disk with and without what is written behind the log. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SESSION_FILE } from '#core/host/records/sessions/names.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import { folderSize } from '../folder-size.ts';
import { Peer } from '../peer.ts';
import type { PortCounts } from '../port.ts';
import type { Session } from '../session.ts';
import type { WatchedOperations } from '../watched-process.ts';

const KB = 1024;
const PROCESS = join(import.meta.dirname, '../watched-process.ts');

interface Stored {
  counts: PortCounts;
  /** KB a workflow of the closed store's files. */
  disk: number;
  /** KB a session; null where none was written yet. */
  markdown: number | null;
}

export async function storedFigures(session: Session): Promise<Figure[]> {
  const count = session.sizes.batch * Math.min(3, session.sizes.batches);
  const whole = await stored(session, 'whole', count);
  const unindexed = await stored(session, 'unindexed', count);
  if (unindexed.counts.indexRows > 0) throw new Error('lists and search were written although nothing told them to');
  return [...countFigures(whole.counts, count), ...diskFigures(whole, unindexed, count)];
}

async function stored(session: Session, kind: 'whole' | 'unindexed', count: number): Promise<Stored> {
  const server = await session.server('scripted', '0', '0');
  const folder = await session.folder(`stored/${kind}`);
  const peer = await Peer.start<WatchedOperations>(PROCESS, [kind, await server.ask('url'), folder]);
  try {
    const empty = await folderSize(join(folder, 'store'));
    const counts = await peer.ask('workflows', count);
    await peer.close();
    const disk = ((await folderSize(join(folder, 'store'))) - empty) / count / KB;
    return { counts, disk, markdown: await markdownOf(join(folder, 'sessions')) };
  } finally {
    await peer.close();
  }
}

function countFigures({ commits, rows, indexCommits, indexRows, queries }: PortCounts, count: number): Figure[] {
  const each = (all: number): number => all / count;
  const shown = (all: number): string => each(all).toFixed(1);
  const note = `of ${count} workflows; behind the log, for lists and search:`;
  return [
    figure({
      id: 'commits',
      title: 'commits per workflow',
      unit: '',
      ours: each(commits),
      note: `${note} ${shown(indexCommits)} more; ${shown(queries)} queries in all`,
    }),
    figure({
      id: 'rows',
      title: 'rows per workflow',
      unit: '',
      ours: each(rows),
      note: `${note} ${shown(indexRows)} more`,
    }),
  ];
}

function diskFigures(whole: Stored, unindexed: Stored, count: number): Figure[] {
  const note = `growth of the closed store's files over ${count} workflows`;
  const title = 'disk per workflow with Markdown';
  return [
    figure({ id: 'disk', title: 'disk per workflow', unit: 'KB', bar: { atMost: 50 }, ours: whole.disk, note }),
    figure({
      id: 'disk-unindexed',
      title: 'disk per workflow without lists and search',
      unit: 'KB',
      ours: unindexed.disk,
      note,
    }),
    whole.markdown === null
      ? unmeasured('disk-markdown', title, {}, 'no session was written yet')
      : figure({
          id: 'disk-markdown',
          title,
          unit: 'KB',
          ours: whole.disk + whole.markdown,
          note: `the files of a session take ${whole.markdown.toFixed(1)} KB`,
        }),
  ];
}

/** KB of the files of one session, of those that were written. */
async function markdownOf(folder: string): Promise<number | null> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sessions = names.filter((name) => name.endsWith(SESSION_FILE)).length;
  return sessions === 0 ? null : (await folderSize(folder)) / sessions / KB;
}
