/** The stage: which blocks of a lead's transcript stand on it together, and what each agent there does now. Pure. */
import type { Entry } from '#contract/message.ts';
import type { OpenMessage, RunRow } from '#contract/view.ts';
import { type Bound, boundsOfRun } from './budgets.ts';
import { isActive, type Phase } from './phase.ts';
import { type Block, blocksOf, type Call, lastCall, mainArgument } from './transcript.ts';

/** What stands below each other in a transcript: a block, or the sub-agents that calls right after each other started. */
export type Piece =
  | { kind: 'block'; key: string; at: number; length: 1; block: Block }
  /** `coming`: calls that are about to start one more, each. */
  | { kind: 'stage'; key: string; at: number; length: number; runs: RunRow[]; coming: number };

export function pieceOf(block: Block, at: number): Piece {
  return { kind: 'block', key: block.key, at, length: 1, block };
}

const STARTERS: ReadonlySet<string> = new Set(['spawn_agent', 'delegate_task', 'parallel_tasks']);

/** `at`: index of its first block. */
export function piecesOf(blocks: readonly Block[]): Piece[] {
  const pieces: Piece[] = [];
  blocks.forEach((block, at) => {
    const last = pieces.at(-1);
    const children = block.kind === 'call' ? block.call.children : [];
    const coming = block.kind === 'call' && last?.kind === 'stage' && isComing(block.call) ? 1 : 0;
    if (children.length === 0 && coming === 0) pieces.push(pieceOf(block, at));
    else if (last?.kind === 'stage') {
      last.runs.push(...children);
      last.length += 1;
      last.coming += coming;
    } else pieces.push({ kind: 'stage', key: block.key, at, length: 1, runs: [...children], coming: 0 });
  });
  return pieces;
}

/** Whether it will start a sub-agent, as far as its name tells. */
function isComing({ name, children, result, state }: Call): boolean {
  const open = state === 'writing' || state === 'pending' || state === 'running' || state === 'waiting';
  return children.length === 0 && result === null && open && (STARTERS.has(name) || name.startsWith('agent__'));
}

interface PhasedLane {
  /** Id of its run. */
  id: string;
  phase: Phase;
}

/**
 * Returns the id of the lane to show in front where lanes are tabs: one that waits for the person, else the followed
 * one, else a running one. A lane that ended is in front only when no lane is active.
 */
export function findFrontLane(lanes: readonly PhasedLane[], followedId: string | null): string | null {
  const followed = lanes.find(({ id }) => id === followedId);
  const candidates = followed ? [followed, ...lanes] : lanes;
  const front =
    candidates.find(({ phase }) => phase === 'waiting') ??
    (followed && isActive(followed.phase) ? followed : undefined) ??
    candidates.find(({ phase }) => phase === 'running') ??
    candidates.find(({ phase }) => phase === 'queued') ??
    followed ??
    candidates.find(({ phase }) => phase === 'error') ??
    candidates[0];
  return front?.id ?? null;
}

/** What an agent does at this moment. */
export type Now =
  | { kind: 'asks' | 'allowed' | 'queued' | 'starts' | 'writes' | 'thinks' | 'reviews' | 'compacts' | 'retries' }
  /** It waits for its turn at the provider, which takes so many requests at a time. */
  | { kind: 'model'; atATime: number }
  | { kind: 'call'; name: string; argument: string };

/** Whether the line on what is done names who does it: not whom the head of the card, or the line itself, names already. */
export function namesWorker(
  { working, at }: { working: Pick<RunRow, 'id'>; at: Pick<RunRow, 'id'> },
  now: Now,
): boolean {
  return working.id !== at.id && now.kind !== 'starts';
}

export interface Working {
  /** Whoever of its family works now. */
  run: RunRow;
  phase: Phase;
  /** It has its yes, and others that were asked about with it have no answer yet. */
  forOthers: boolean;
  /** Its newest entries. */
  entries: readonly Entry[];
  open: OpenMessage | null;
  reviewing: boolean;
  compacting: boolean;
  retrying: boolean;
  atATime: number | undefined;
}

export function nowOf(working: Working): Now {
  const { run, phase, forOthers, entries, open, reviewing, compacting, retrying, atATime } = working;
  if (phase === 'waiting') return { kind: 'asks' };
  if (phase === 'queued') return { kind: forOthers ? 'allowed' : 'queued' };
  if (compacting) return { kind: 'compacts' };
  if (reviewing) return { kind: 'reviews' };
  if (retrying) return { kind: 'retries' };
  if (atATime !== undefined) return { kind: 'model', atATime };
  const part = open?.parts.at(-1);
  if (part?.kind === 'text' && part.text !== '') return { kind: 'writes' };
  if (part?.kind === 'thinking') return { kind: 'thinks' };
  const call = lastCall(blocksOf({ run, entries, calls: [], open, children: [], approvals: [] }));
  return call ? { kind: 'call', name: call.name, argument: mainArgument(call.input) } : { kind: 'starts' };
}

/** How much of its bounds an agent has used; null before it works, and once it has ended: then nothing is left to watch. */
export function budgetOf(run: RunRow, entries: readonly Entry[], isActive: boolean): ReturnType<typeof tightest> {
  return isActive && run.attempt > 0 ? tightest(boundsOfRun(run, entries)) : null;
}

/** The bound of which most is used, with that share of it (0 to 1); null where nothing is bounded, or known. */
export function tightest(bounds: readonly Bound[]): { bound: Bound; share: number } | null {
  const shares = bounds.flatMap((bound) =>
    bound.used === null || bound.of <= 0 ? [] : [{ bound, share: Math.min(1, bound.used / bound.of) }],
  );
  return shares.reduce<(typeof shares)[number] | null>(
    (most, one) => (most === null || one.share > most.share ? one : most),
    null,
  );
}
