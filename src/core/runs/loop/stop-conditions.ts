/** What ends a run although its history alone would let it go on. Each condition says how the run ends, or null. */
import type { Bound, SystemEntry } from '#contract/message.ts';
import { endsAtOnce } from '../budget/limits.ts';
import { answeredSince, limitEnd, type LimitNotice, limitRemark } from '../budget/limit-notices.ts';
import { callsOf, type Transcript, lastResponse, repeatsOf, salvaged } from '#core/store/log/transcript.ts';
import { closing, type RunResult } from './closing.ts';

export interface Ending {
  result: RunResult;
  /** The entry that says why, where the history does not tell it yet. */
  remark: Pick<SystemEntry, 'kind' | 'code' | 'text' | 'bound'> | null;
}

/** Before a turn: the one answer that was asked for at the limit ends the run, whatever it is; time that is up asks for none. */
export function answerAtLimit({ entries }: Transcript, notice: LimitNotice | null): Ending | null {
  if (!notice) return null;
  if (endsAtOnce(notice.bound)) return { result: { text: salvaged(entries), ...limitEnd(notice) }, remark: null };
  if (!answeredSince(entries, notice)) return null;
  return { result: { ...closing(lastResponse(entries), entries), ...limitEnd(notice) }, remark: null };
}

/**
 * Asking, or asking again after a request that failed, would cross `crossed`: what there is must do. `known`: the agent
 * was told of a limit before.
 */
export function limitCrossed({ entries }: Transcript, crossed: Bound | null, known: boolean): Ending | null {
  if (!crossed) return null;
  const result = { text: salvaged(entries), ...limitEnd({ bound: crossed }) };
  return { result, remark: known ? null : limitRemark(crossed) };
}

/** After a turn: a call was made twice as often in a row as the agent was warned of, after `threshold` of them. */
export function repeatedCalls({ entries }: Transcript, threshold: number): Ending | null {
  const most = 2 * threshold;
  const last = lastResponse(entries);
  const repeats = last ? callsOf(last).map((call) => repeatsOf(entries, call)) : [];
  if (Math.max(0, ...repeats) < most) return null;
  const message = `Repetitive behaviour detected: the same call was made ${most} times in a row; the run was stopped`;
  return {
    result: { outcome: 'error', text: salvaged(entries), error: { code: 'doom_loop', message } },
    remark: { kind: 'system', code: 'doom_loop', text: message },
  };
}
