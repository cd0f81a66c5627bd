/** What ends a run although its history alone would let it go on. Each condition says how the run ends, or null. */
import { DOOM_LOOP_THRESHOLD } from '#contract/limits.ts';
import type { Bound, SystemEntry } from '#contract/message.ts';
import { answeredSince, limitEnd, type LimitNotice, limitRemark } from '../budget/limit-notices.ts';
import { callsOf, type Transcript, lastResponse, repeatsOf, salvaged } from '../log/transcript.ts';
import { closing, type RunResult } from './closing.ts';

export interface Ending {
  result: RunResult;
  /** The entry that says why, where the history does not tell it yet. */
  remark: Pick<SystemEntry, 'kind' | 'code' | 'text' | 'bound'> | null;
}

/** Before a turn: the one answer that was asked for at the limit ends the run, whatever it is. */
export function answeredAtLimit({ entries }: Transcript, notice: LimitNotice | null): Ending | null {
  if (!notice || !answeredSince(entries, notice)) return null;
  return { result: { ...closing(lastResponse(entries), entries), ...limitEnd(notice) }, remark: null };
}

/**
 * After a request that failed: asking again would cross `crossed`, so what there is must do. `known`: the agent was told
 * of a limit before.
 */
export function limitCrossed({ entries }: Transcript, crossed: Bound | null, known: boolean): Ending | null {
  if (!crossed) return null;
  const result = { text: salvaged(entries), ...limitEnd({ bound: crossed }) };
  return { result, remark: known ? null : limitRemark(crossed) };
}

/** After a turn: a call was made twice as often in a row as the agent was warned of. */
export function repeatedCalls({ entries }: Transcript): Ending | null {
  const most = 2 * DOOM_LOOP_THRESHOLD;
  const last = lastResponse(entries);
  const repeats = last ? callsOf(last).map((call) => repeatsOf(entries, call)) : [];
  if (Math.max(0, ...repeats) < most) return null;
  const message = `Repetitive behaviour detected: the same call was made ${most} times in a row; the run was stopped`;
  return {
    result: { outcome: 'error', text: salvaged(entries), error: { code: 'doom_loop', message } },
    remark: { kind: 'system', code: 'doom_loop', text: message },
  };
}
