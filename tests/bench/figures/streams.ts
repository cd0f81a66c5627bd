/** One long answer at a subscriber: 20,000 deltas in a burst, and at a steady pace. */
import { type Figure, figure } from '../figure.ts';
import { inTurn, type Session } from '../session.ts';
import type { StreamTimes } from '../side.ts';
import { promptFor } from '../stamped-server.ts';
import { median } from '../statistics.ts';

const PER_SECOND = 2000;

export async function streamFigures(session: Session): Promise<Figure[]> {
  const { burst, runs, paced, pacedRuns } = session.sizes;
  const arena = await session.arena('streams', 'stamped');
  const run = async (count: number, perSecond: number, times: number) => {
    const input = { prompt: promptFor(count, perSecond), count };
    return inTurn(arena, times, (side) => side.ask('stream', input));
  };
  await run(burst, 0, 2);
  const fast = await run(burst, 0, runs);
  const steady = await run(paced, PER_SECOND, pacedRuns);
  const both = ({ ours, floor }: { ours: StreamTimes[]; floor: StreamTimes[] }, of: (one: StreamTimes) => number) => {
    return { ours: median(ours.map(of)), floor: median(floor.map(of)) };
  };
  const unit = 'ms';
  const note = `${burst} deltas; median of ${runs}`;
  const pacedNote = `${paced} deltas; median of ${pacedRuns}`;
  return [
    figure({
      id: 'burst',
      title: 'burst: whole text in order',
      unit,
      bar: { timesFloor: 1.5 },
      note,
      ...both(fast, ({ ms }) => ms),
    }),
    figure({
      id: 'burst-delay',
      title: 'burst: delay p99',
      unit,
      bar: { atMost: 50 },
      note,
      ...both(fast, ({ delays }) => delays.p99),
    }),
    figure({
      id: 'burst-block',
      title: 'burst: main loop blocked, longest',
      unit,
      bar: { atMost: 50 },
      ours: Math.max(...fast.ours.map(({ blockedMs }) => blockedMs)),
      floor: Math.max(...fast.floor.map(({ blockedMs }) => blockedMs)),
      note: `${burst} deltas; longest of ${runs} runs`,
    }),
    figure({
      id: 'paced-delay',
      title: `paced, ${PER_SECOND} deltas/s: delay p99`,
      unit,
      bar: { atMost: 20 },
      ...both(steady, ({ delays }) => delays.p99),
      note: pacedNote,
    }),
  ];
}
