/** The loop of every agent: model turn, tool calls, model turn, and so on, until an answer, a stop or a limit. */
import type { Bound, Word } from '#contract/message.ts';
import { limitNotice, answeredSince, tellLimit, tellRaised } from '../budget/limit-notices.ts';
import { doomLoopThresholdOf, endsAtOnce } from '../budget/limits.ts';
import { newId } from '#core/base/ids.ts';
import { stopOf } from '#core/base/stop.ts';
import { lastResponse, nextStep, type Transcript, turnsOf } from '#core/store/log/transcript.ts';
import type { Payload, Recorded } from '#core/store/log/recorder.ts';
import type { RunResult } from './closing.ts';
import { makeRoom, roomAfterFull, roomAfterRefusal } from './compaction.ts';
import { modelTurn } from './model-turn.ts';
import { asPromised } from './output-check.ts';
import { reflect } from './reflection.ts';
import type { Run } from '../run.ts';
import { answerAtLimit, type Ending, limitCrossed, repeatedCalls } from './stop-conditions.ts';
import { inFlight } from './tool-calls.ts';

/**
 * Yields the events of the run in order. The caller resumes it after it has recorded each event. The next step depends
 * only on the history, so a run from the store continues here like any other. Throws `ModelError` after the last failed
 * attempt, and `Stopped` after a stop. Before it throws, every open call has its result.
 */
export async function* agentLoop(run: Run): AsyncGenerator<Payload, RunResult, Recorded> {
  const { history, signal } = run;
  for (;;) {
    const step = nextStep(history.entries);
    if (step.do === 'answer') {
      yield { type: 'message-end', entry: history.add(asAnswer(step.text)) };
      continue;
    }
    const notice = limitNotice(history.entries);
    if (step.do === 'settle') {
      yield* inFlight(run, notice ? AT_LIMIT : null, async (calls) => {
        for (const call of step.calls) calls.add(call);
      });
    } else {
      if (signal.aborted) throw stopOf(signal);
      if (notice && run.limits.isRaised(notice.bound)) {
        // An answer that lacks only its review is not requested again.
        const isAnswered = step.do === 'close' && !answeredSince(history.entries, notice);
        yield* tellRaised(history, notice, !isAnswered);
        continue;
      }
      const atLimit = answerAtLimit(history, notice);
      if (atLimit) {
        run.limits.close();
        return yield* end(history, atLimit);
      }
      if (step.do === 'close' && (yield* roomAfterFull(run, notice))) continue;
      // The answer is not final while sub-agents still work: their reports may change it.
      const reports = await run.backgroundReports(step.do === 'close');
      if (reports) {
        const words = { source: 'engine', text: reports.text, reportsOf: reports.runIds } as const;
        yield { type: 'message-end', entry: history.add({ kind: 'user', ...words }) };
        continue;
      }
      // The answer is not final either while messages of the person wait. A paused response is one with the next response.
      const words = lastResponse(history.entries)?.stopReason === 'pause_turn' ? [] : run.unheard();
      if (words.length > 0) {
        yield* tellWords(history, words);
        continue;
      }
      if (step.do === 'close') {
        const result = yield* reflect(run, step.last, notice);
        const last = result && run.partner ? yield* run.partner.next(step.last, result, notice) : result;
        // Messages may have arrived meanwhile. From here to the end nothing waits, and later messages are refused.
        if (!last || run.unheard().length > 0) continue;
        run.limits.close();
        return asPromised(run.envelope, last);
      }

      const undone = await run.undos.takeNew();
      if (undone) {
        yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', ...undone }) };
        continue;
      }
      if (!notice && (yield* makeRoom(run))) continue;
      const turn = turnsOf(history.entries);
      const bound = notice ? null : run.limits.admit(turn);
      const timeUp = bound && endsAtOnce(bound) ? limitCrossed(history, bound, false) : null;
      if (timeUp) {
        run.limits.close();
        return yield* end(history, timeUp);
      }
      // The next iteration sees a raised limit or a stop.
      if (bound && (await run.limits.askPerson(bound)) === 'continue') continue;
      if (bound) yield* tellLimit(history, bound);
      const at = bound ?? notice?.bound ?? null;
      let crossed: Bound | null;
      try {
        crossed = yield* inFlight(run, at ? AT_LIMIT : null, (calls, emit) =>
          modelTurn(run, { turn, told: at, calls, emit }),
        );
      } catch (error) {
        if (yield* roomAfterRefusal(run, error)) continue;
        throw error;
      }
      if (crossed && at === null && (await run.limits.askPerson(crossed)) === 'continue') continue;
      const tooMuch = limitCrossed(history, crossed, at !== null);
      if (tooMuch) return yield* end(history, tooMuch);
    }
    const stopReason = lastResponse(history.entries)?.stopReason ?? null;
    yield { type: 'turn-end', turn: turnsOf(history.entries) - 1, stopReason };
    const stuck = repeatedCalls(history, doomLoopThresholdOf(run.envelope));
    if (stuck) return yield* end(history, stuck);
  }
}

function* tellWords(history: Transcript, words: readonly Word[]): Generator<Payload, void> {
  for (const { id: said, text } of words)
    yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'person', text, said }) };
}

/** Returns an assistant entry that no model wrote. */
function asAnswer(text: string) {
  const parts = [{ type: 'text' as const, text }];
  const ids = { messageId: newId(), responseId: null };
  return { kind: 'assistant' as const, ...ids, parts, stopReason: 'end_turn' as const, interrupted: false };
}

/** Result of calls that a run makes at its limit. */
const AT_LIMIT = 'Not run: the limit is reached';

function* end(history: Transcript, { remark, result }: Ending): Generator<Payload, RunResult> {
  if (remark) yield { type: 'message-end', entry: history.add(remark) };
  return result;
}
