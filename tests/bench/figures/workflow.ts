/** One workflow at a time: without latency, with a realistic one, and the hand-offs within. */
import { type Figure, figure } from '../figure.ts';
import type { Handled } from '../server-process.ts';
import { type Arena, inTurn, type Session } from '../session.ts';
import type { WorkflowTimes } from '../side.ts';
import { median, percentile } from '../statistics.ts';

/** A workflow as its side and the server saw it. */
interface Seen extends WorkflowTimes {
  handled: Handled[];
}

interface Request extends Handled {
  endedAt: number;
}

interface Lanes {
  first: Request;
  children: { call: Request; report: Request }[];
  answer: Request;
}

export async function workflowFigures(session: Session): Promise<Figure[]> {
  const { runs, warmUps } = session.sizes;
  const seen = await measure(session, 'zero', ['scripted', '0', '0'], warmUps, runs);
  const total = (one: Seen) => one.endedAt - one.sentAt;
  const sent = ({ handled }: Seen) => handled.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  return [
    figure({
      id: 'workflow',
      title: 'workflow, zero latency',
      unit: 'ms',
      bar: { timesFloor: 2.3 },
      ...medians(seen, total),
      note: `median of ${runs}`,
    }),
    figure({
      id: 'sent',
      title: 'sent to the model per workflow',
      unit: 'KB',
      bar: { atMost: 70 },
      ...medians(seen, sent),
      note: 'bodies of its eight requests',
    }),
    ...handOffs('at zero latency', seen, false),
  ];
}

export async function realisticFigures(session: Session): Promise<Figure[]> {
  const { realisticRuns: runs, realisticWarmUps: warmUps } = session.sizes;
  const seen = await measure(session, 'realistic', ['scripted', '300', '15'], warmUps, runs);
  const overhead = (one: Seen) => one.endedAt - one.sentAt - criticalPath(lanesOf(one.handled));
  const early = (one: Seen) => {
    const { first, children } = lanesOf(one.handled);
    return Math.min(...children.map(({ call }) => call.receivedAt)) - first.endedAt;
  };
  return [
    figure({
      id: 'overhead',
      title: 'overhead over the critical path',
      unit: 'ms',
      bar: { timesFloor: 1.9 },
      ...medians(seen, overhead),
      note: `300 ms to the first token, 15 ms between deltas; median of ${runs}`,
    }),
    ...handOffs('', seen, true),
    figure({
      id: 'early-start',
      title: "first child's request after the lead's stream",
      unit: 'ms',
      bar: { atMost: 0 },
      ...medians(seen, early),
      note: 'negative: started before the stream had ended',
    }),
  ];
}

/** Of many workflows back to back, as `growth.ts` collected them. */
export function shownFigures(shown: readonly number[], updates: readonly number[]): Figure[] {
  const note = `run-start at a subscriber after its decision (dated in whole ms), ${shown.length} sub-agents`;
  const unit = 'ms';
  return [
    figure({
      id: 'shown-p50',
      title: 'start of a sub-agent → shown, p50',
      unit,
      bar: { atMost: 20 },
      ours: percentile(shown, 0.5),
      note,
    }),
    figure({
      id: 'shown-p99',
      title: 'start of a sub-agent → shown, p99',
      unit,
      bar: { atMost: 100 },
      ours: percentile(shown, 0.99),
      note,
    }),
    figure({
      id: 'updates-p99',
      title: 'progress of a sub-agent → shown, p99',
      unit,
      bar: { atMost: 100 },
      ours: percentile(updates, 0.99),
      note: `queued, started, ended, at a subscriber after it happened (dated in whole ms), ${updates.length} of them`,
    }),
  ];
}

type Both = { ours: Seen[]; floor: Seen[] };

async function measure(session: Session, name: string, server: string[], warmUps: number, runs: number): Promise<Both> {
  const arena = await session.arena(name, ...server);
  const one = async (side: Arena['ours']): Promise<Seen> => {
    const times = await side.ask('workflow');
    return { ...times, handled: await arena.server.ask('take') };
  };
  await inTurn(arena, warmUps, one);
  return inTurn(arena, runs, one);
}

function medians({ ours, floor }: Both, of: (one: Seen) => number): { ours: number; floor: number } {
  return { ours: median(ours.map(of)), floor: median(floor.map(of)) };
}

function handOffs(suffix: string, seen: Both, barred: boolean): Figure[] {
  const parts: [string, string, number, (one: Seen) => number[]][] = [
    [
      'first-request',
      'hand-off: user → first request',
      5,
      (one) => [lanesOf(one.handled).first.receivedAt - one.sentAt],
    ],
    ['spawn', "hand-off: spawn (lead's end → child's request)", 7, spawns],
    ['tool-turn', 'hand-off: tool turn', 5, toolTurns],
    ['join', "hand-off: join (last child's end → lead's request)", 5, joins],
  ];
  return parts.map(([id, title, atMost, of]) =>
    figure({
      id: suffix === '' ? id : `${id}-zero`,
      title: suffix === '' ? title : `${title}, zero latency`,
      unit: 'ms',
      ...(barred ? { bar: { atMost } } : {}),
      ours: median(seen.ours.flatMap(of)),
      floor: median(seen.floor.flatMap(of)),
      note: suffix === '' ? 'realistic latency' : 'three children share the processor',
    }),
  );
}

function spawns({ handled }: Seen): number[] {
  const { first, children } = lanesOf(handled);
  return children.map(({ call }) => call.receivedAt - first.endedAt);
}

function toolTurns({ handled }: Seen): number[] {
  return lanesOf(handled).children.map(({ call, report }) => report.receivedAt - call.endedAt);
}

function joins({ handled }: Seen): number[] {
  const { children, answer } = lanesOf(handled);
  return [answer.receivedAt - Math.max(...children.map(({ report }) => report.endedAt))];
}

/** What the server itself took, one request after the other, on the longest way. */
function criticalPath({ first, children, answer }: Lanes): number {
  const ways = children.map(({ call, report }) => took(call) + took(report));
  return took(first) + Math.max(...ways) + took(answer);
}

function took({ receivedAt, endedAt }: Request): number {
  return endedAt - receivedAt;
}

function lanesOf(handled: readonly Handled[]): Lanes {
  if (handled.length !== 8) throw new Error(`a workflow made ${handled.length} requests instead of 8`);
  const find = (rule: string): Request => {
    const found = handled.find((one) => one.rule === rule);
    if (!found || found.endedAt === null) throw new Error(`no whole request for "${rule}"`);
    return { ...found, endedAt: found.endedAt };
  };
  return {
    first: find('lead starts three'),
    children: ['alpha', 'beta', 'gamma'].map((name) => {
      return { call: find(`child looks at part ${name}`), report: find(`child reports on part ${name}`) };
    }),
    answer: find('lead answers'),
  };
}
