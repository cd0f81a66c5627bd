/** Pages of a long history, seeded through the store itself. */
import { join } from 'node:path';
import { Peer } from '../peer.ts';
import { type Figure, figure } from '../figure.ts';
import type { HistoryOperations } from '../history-process.ts';
import type { Session } from '../session.ts';
import { median } from '../statistics.ts';

const FULL_SIZE = 100_000;
const FEW = 50;

export async function historyFigures(session: Session): Promise<Figure[]> {
  const { history, events } = session.sizes;
  const folder = await session.folder('history');
  const file = join(import.meta.dirname, '../history-process.ts');
  const peer = await Peer.start<HistoryOperations>(file, [folder]);
  try {
    await peer.ask('seed', FEW);
    const few = median(await peer.ask('list'));
    const seedMs = await peer.ask('seed', history - FEW);
    const page = median(await peer.ask('list'));
    const settleMs = await peer.ask('settle');
    const searches = await peer.ask('search');
    const seeded = await peer.ask('seedLong', events);
    const screen = median(await peer.ask('screen'));
    const size = `${history} workflows${history < FULL_SIZE ? ' (--history: 100,000)' : ''}`;
    return [
      figure({
        id: 'newest-50',
        title: 'history: newest 50',
        unit: 'ms',
        bar: { atMost: 5 },
        ours: page,
        note: `of ${size}, seeded in ${(seedMs / 1000).toFixed(0)} s; ${few.toFixed(2)} ms of ${FEW}`,
      }),
      figure({
        id: 'first-screen',
        title: 'history: first screen of a long workflow',
        unit: 'ms',
        bar: { atMost: 50 },
        ours: screen,
        note: `${seeded} events: workflow.get with the entries of the lead's run, beside ${size}`,
      }),
      figure({
        id: 'search',
        title: 'history: search',
        unit: 'ms',
        bar: { atMost: 150 },
        ours: median(searches),
        note: `of ${size}, indexed in ${(settleMs / 1000).toFixed(0)} s; longest ${Math.max(...searches).toFixed(0)} ms`,
      }),
    ];
  } finally {
    await peer.close();
  }
}
