/** Workflows back to back: how many a second, and what each takes of the processor and leaves behind in memory. */
import type { Held } from '../../support/held.ts';
import { clock } from '../clock.ts';
import { type Figure, figure, unmeasured } from '../figure.ts';
import { inTurn, type Session } from '../session.ts';
import type { BatchTimes } from '../side.ts';
import { median, slope } from '../statistics.ts';
import { shownFigures } from './workflow.ts';

/** From this workflow on memory must not grow. */
const SETTLED_AT = 300;
const KB = 1024;

export async function growthFigures(session: Session): Promise<Figure[]> {
  const { batch, batches, patienceMs } = session.sizes;
  const { server, ours, floor } = await session.arena('growth', 'scripted', '0', '0');
  const end = clock() + patienceMs;
  const holding: Held[] = [];
  const results = await inTurn(
    { ours, floor },
    batches,
    async (side) => {
      const times = await side.ask('batch', batch);
      await server.ask('take');
      if (side === ours) holding.push(await side.ask('held'));
      return times;
    },
    () => clock() > end,
  );
  const count = batch * results.ours.length;
  const rate = (times: BatchTimes[]) => median(times.map(({ ms }) => (batch * 1000) / ms));
  const cpu = (times: BatchTimes[], of: (one: BatchTimes) => number) => median(times.map((one) => of(one) / batch));
  return [
    figure({
      id: 'throughput',
      title: 'workflows back to back',
      unit: '1/s',
      bar: { atLeast: 45 },
      ours: rate(results.ours),
      floor: rate(results.floor),
      note: `${count} workflows in batches of ${batch}, each in a conversation of its own`,
    }),
    figure({
      id: 'cpu',
      title: 'processor time per workflow',
      unit: 'ms',
      bar: { atMost: 32 },
      ours: cpu(results.ours, ({ wholeCpuMs }) => wholeCpuMs),
      floor: cpu(results.floor, ({ wholeCpuMs }) => wholeCpuMs),
      note: 'all threads, with lists, search and Markdown',
    }),
    figure({
      id: 'cpu-until-end',
      title: 'processor time per workflow until its end',
      unit: 'ms',
      ours: cpu(results.ours, ({ cpuMs }) => cpuMs),
      floor: cpu(results.floor, ({ cpuMs }) => cpuMs),
      note: 'most of the Markdown of a batch follows after it',
    }),
    drift(results.ours, results.floor),
    ...growth(results.ours, results.floor, batch),
    ...heldFigures(holding, batch),
    ...shownFigures(
      results.ours.flatMap(({ shown }) => shown),
      results.ours.flatMap(({ updates }) => updates),
    ),
  ];
}

/** The last batch against the first after the warm-up. */
function drift(ours: BatchTimes[], floor: BatchTimes[]): Figure {
  const bar = { atMost: 1.2 };
  const title = 'time of the last batch ÷ of the second';
  if (ours.length < 3) return unmeasured('drift', title, bar, 'needs three batches');
  const of = (times: BatchTimes[]) => (times.at(-1)?.ms ?? NaN) / (times[1]?.ms ?? NaN);
  return figure({ id: 'drift', title, unit: '', bar, ours: of(ours), floor: of(floor) });
}

function growth(ours: BatchTimes[], floor: BatchTimes[], batch: number): Figure[] {
  const settled = (times: BatchTimes[], of: (one: BatchTimes) => number) =>
    times.map((one, index) => ({ x: (index + 1) * batch, y: of(one) / KB })).filter(({ x }) => x >= SETTLED_AT);
  const parts = [
    { id: 'heap', title: 'heap per workflow', of: (one: BatchTimes) => one.heap, bar: { atMost: 1 } },
    {
      id: 'rss',
      title: 'resident memory per workflow',
      of: (one: BatchTimes) => one.rss,
      bar: { atMost: 15 },
    },
  ];
  return parts.map(({ id, title, of, bar }) => {
    const points = settled(ours, of);
    if (points.length < 3) return unmeasured(id, title, bar, `needs three batches after ${SETTLED_AT}`);
    return figure({
      id,
      title,
      bar,
      unit: 'KB',
      ours: slope(points),
      floor: slope(settled(floor, of)),
      note: `slope from the ${SETTLED_AT}th to the ${points.at(-1)?.x}th, after collections of garbage`,
    });
  });
}

/** What is held after all of it, against what was after the second batch. */
function heldFigures(holding: readonly Held[], batch: number): Figure[] {
  const [, before] = holding;
  const after = holding.at(-1);
  const parts: [keyof Held, string][] = [
    ['handles', 'handles more'],
    ['listeners', 'listeners of the process more'],
    ['childProcesses', 'child processes more'],
    ['objects', 'objects of runs, sockets and signals more'],
  ];
  return parts.map(([id, title]) => {
    const bar = { atMost: 0 };
    if (!before || !after || holding.length < 3) return unmeasured(id, title, bar, 'needs three batches');
    const note = `after ${holding.length * batch} workflows than after ${2 * batch}: ${after[id]}`;
    return figure({ id, title, unit: '', bar, ours: Math.max(0, after[id] - before[id]), note });
  });
}
