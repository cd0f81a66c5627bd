/** Compacts the context of a working run: on request, when it is nearly full, or after a refused request. */
import { TriadError } from '#core/base/errors.ts';
import { stopOf } from '#core/base/stop.ts';
import { holding, lastCompaction } from '#core/store/log/told.ts';
import { lastResponse } from '#core/store/log/transcript.ts';
import type { LimitNotice } from '../budget/limit-notices.ts';
import type { Payload, Recorded } from '#core/store/log/recorder.ts';
import { ModelError } from '#core/model/model.ts';
import { compactAtOf } from '#core/settings/context-settings.ts';
import type { Run } from '../run.ts';
import { compact } from './compact.ts';
import { cutsOf } from './compaction-cut.ts';
import { recordFailure } from './compaction-requests.ts';
import { contextSize, wholeSize } from './context-size.ts';
import { inFlight } from './tool-calls.ts';

/** Share of the context that an automatic compaction must remove at least. */
const MIN_GAIN = 0.1;
/** A refused request counts as too large if its estimated size is at least this share of the window. */
const TOO_LARGE = 0.9;

/**
 * Compacts before a turn if the person requested it, or the context is nearly full. Returns true if the context was
 * compacted: the loop then determines its next step again.
 */
export async function* makeRoom(run: Run): AsyncGenerator<Payload, boolean, Recorded> {
  const isRequested = run.compactions.takeRequest();
  return isRequested || (await isNearlyFull(run)) ? yield* tryToCompact(run, isRequested ? 'asked' : 'size') : false;
}

async function isNearlyFull(run: Run): Promise<boolean> {
  const { history, prior, compactions } = run;
  const window = run.requests.contextWindow;
  const at = compactAtOf(run.engine.settings);
  if (window === null || at === null || compactions.hasGivenUp) return false;
  const last = lastCompaction(history.entries);
  // The person undid the last one, so the context stays. And a second one without a response in between gains nothing.
  if (last && (last.undone || last.n > (lastResponse(history.entries)?.n ?? -1))) return false;
  // The part that a compaction cannot remove fills the window.
  if (last && last.tokensAfter >= at * window) return false;
  if ((await contextSize(run)) < at * window) return false;
  return cutsOf({ prior, entries: history.entries }).length > 0;
}

/**
 * Compacts after a response that a full context cut off, and asks the agent to continue. Returns false if the run ends: the
 * context could not be compacted, or it filled up again without progress.
 */
export async function* roomAfterFull(run: Run, notice: LimitNotice | null): AsyncGenerator<Payload, boolean, Recorded> {
  const { history } = run;
  const response = lastResponse(history.entries);
  if (response?.stopReason !== 'context_exceeded' || notice) return false;
  const isMade = (holding(history.entries)?.n ?? -1) > response.n;
  if (!isMade && (!hasProgress(run) || !(yield* tryToCompact(run, 'full')))) return false;
  yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', text: GO_ON }) };
  return true;
}

const GO_ON =
  'Your last answer broke off because your context was full. Room was made: go on where you stopped, and write the whole of what you were about to say.';

/** Returns true if a complete response has followed the last compaction that is not undone. */
function hasProgress({ history: { entries } }: Run): boolean {
  const last = holding(entries);
  const since = entries.filter(({ n }) => n > (last?.n ?? -1));
  const isWhole = (entry: (typeof since)[number]): boolean =>
    entry.kind === 'assistant' && !entry.interrupted && entry.stopReason !== 'context_exceeded';
  return last === undefined || since.some(isWhole);
}

/** Compacts after a refused request that was probably too large. Returns true if the context was compacted. */
export async function* roomAfterRefusal(run: Run, error: unknown): AsyncGenerator<Payload, boolean, Recorded> {
  if (!(error instanceof ModelError) || error.code !== 'bad_request' || run.signal.aborted) return false;
  const window = run.requests.contextWindow;
  const isTooLarge =
    error.status === TOO_LARGE_STATUS || (window !== null && (await contextSize(run)) >= TOO_LARGE * window);
  const last = holding(run.history.entries);
  const isAgain = last !== undefined && last.n > (lastResponse(run.history.entries)?.n ?? -1);
  return isTooLarge && !isAgain ? yield* tryToCompact(run, 'full') : false;
}

const TOO_LARGE_STATUS = 413;

/** Compacts, and records a notice on failure. The run continues without it, and does not try again because of the size. */
async function* tryToCompact(run: Run, why: 'asked' | 'size' | 'full'): AsyncGenerator<Payload, boolean, Recorded> {
  const tokensBefore = await wholeSize(run);
  return yield* inFlight(run, null, async (_calls, emit) => {
    try {
      await compact(run, emit, { auto: why !== 'asked', tokensBefore }, why === 'size' ? MIN_GAIN : 0);
      return true;
    } catch (error) {
      if (run.signal.aborted) throw stopOf(run.signal);
      if (error instanceof TriadError && error.code === 'store_failed') throw error;
      if (why === 'size') run.compactions.hasGivenUp = true;
      recordFailure(emit, error);
      return false;
    }
  });
}
