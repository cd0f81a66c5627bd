/** From the stop to the end of the last request, while three sub-agents stream. */
import { setTimeout as wait } from 'node:timers/promises';
import { clock } from '../clock.ts';
import { type Figure, figure } from '../figure.ts';
import type { Handled } from '../server-process.ts';
import { type Arena, inTurn, type Session } from '../session.ts';
import { median } from '../statistics.ts';

const PATIENCE_MS = 10_000;
const LOOK_MS = 5;

export async function stopFigures(session: Session): Promise<Figure[]> {
  const arena = await session.arena('stop', 'scripted', '50', '15');
  const { stops: runs } = session.sizes;
  const results = await inTurn(arena, runs, (side) => stopOnce(arena, side));
  return [
    figure({
      id: 'stop',
      title: 'stop → last request closed',
      unit: 'ms',
      bar: { atMost: 200 },
      ours: median(results.ours),
      floor: median(results.floor),
      note: `three sub-agents streaming; median of ${runs}, longest ${Math.max(...results.ours).toFixed(1)}`,
    }),
  ];
}

async function stopOnce({ server }: Arena, side: Arena['ours']): Promise<number> {
  await side.ask('begin');
  await until(server, (handled) => reports(handled).length === 3);
  // Into the stream, beyond the first token.
  await wait(150);
  const stoppedAt = await side.ask('stop');
  const handled = await until(server, (all) => all.every(({ endedAt }) => endedAt !== null));
  await server.ask('take');
  return Math.max(...handled.map(({ endedAt }) => endedAt ?? NaN)) - stoppedAt;
}

function reports(handled: readonly Handled[]): Handled[] {
  return handled.filter(({ rule, endedAt }) => rule.startsWith('child reports') && endedAt === null);
}

async function until(server: Arena['server'], ready: (handled: Handled[]) => boolean): Promise<Handled[]> {
  const end = clock() + PATIENCE_MS;
  for (;;) {
    const handled = await server.ask('peek');
    if (ready(handled)) return handled;
    if (clock() > end) throw new Error('the requests did not come to the expected state');
    await wait(LOOK_MS);
  }
}
