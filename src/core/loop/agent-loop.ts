/** The loop of every agent: model turn, tool calls, model turn, … until it has answered, was stopped or hit a bound. */
import { DOOM_LOOP_THRESHOLD } from '#contract/limits.ts';
import { closing, type RunResult } from './closing.ts';
import { callsOf, lastResponse, nextStep, repeatsOf, salvaged, type Transcript, turnsOf } from '../log/transcript.ts';
import { answeredSince, limitEnd, limitTold, noteLimit, tellLimit, tellRaised } from '../budget/limit-words.ts';
import type { LoopRun } from './loop-run.ts';
import { modelTurn } from './model-turn.ts';
import type { Payload, Recorded } from '../log/recorder.ts';
import { reflect } from './reflection.ts';
import { stopOf } from '../base/stop.ts';
import { inFlight } from './tool-calls.ts';

/**
 * Yields the run's events in order and is resumed when each was dealt with. What comes next is read from the history
 * alone, so a run that is rebuilt from the store goes on here like any other. Throws when the model fails for good
 * (ModelError) and when the run is stopped (Stopped), after every open call got its result.
 */
export async function* agentLoop(run: LoopRun): AsyncGenerator<Payload, RunResult, Recorded> {
  const { history, signal } = run;
  for (;;) {
    const step = nextStep(history.entries);
    const told = limitTold(history.entries);
    if (step.do === 'settle') {
      yield* inFlight(run, told ? AT_LIMIT : null, async (calls) => {
        for (const call of step.calls) calls.add(call);
      });
    } else {
      if (signal.aborted) throw stopOf(signal);
      if (told && run.limits.isRaised(told.bound)) {
        // An answer that only its review was missing for is not asked for again.
        const isAnswered = step.do === 'close' && !answeredSince(history.entries, told);
        yield* tellRaised(history, told, !isAnswered);
        continue;
      }
      // The one answer that was asked for at the limit ends the run, whatever it is.
      if (told && answeredSince(history.entries, told)) {
        run.limits.close();
        return { ...closing(lastResponse(history.entries), history.entries), ...limitEnd(told) };
      }
      // The answer is not final while sub-agents still work: their reports may change it.
      const reports = await run.backgroundReports(step.do === 'close');
      if (reports) {
        const words = { source: 'engine', text: reports.text, reportsOf: reports.runIds } as const;
        yield { type: 'message-end', entry: history.add({ kind: 'user', ...words }) };
        continue;
      }
      if (step.do === 'close') {
        const end = yield* reflect(run, step.last, told);
        if (end) return end;
        continue;
      }

      const turn = turnsOf(history.entries);
      const bound = told ? null : run.limits.admit(turn);
      if (bound) yield* tellLimit(history, bound);
      const at = bound ?? told?.bound ?? null;
      const crossed = yield* inFlight(run, at ? AT_LIMIT : null, (calls, emit) =>
        modelTurn(run, { turn, told: at, calls, emit }),
      );
      // The response did not come, and asking again would be too much: what there is must do.
      if (crossed) {
        if (!at) yield noteLimit(history, crossed);
        return { text: salvaged(history.entries), ...limitEnd({ bound: crossed }) };
      }
    }
    const stuck = yield* endTurn(history);
    if (stuck) return stuck;
  }
}

/** What calls are answered with that a run makes at its bound. */
const AT_LIMIT = 'Not run: the limit is reached';

/** The response has come and its calls have their results; null where the run can go on. */
function* endTurn(history: Transcript): Generator<Payload, RunResult | null> {
  const { entries } = history;
  const last = lastResponse(entries);
  yield { type: 'turn-end', turn: turnsOf(entries) - 1, stopReason: last?.stopReason ?? null };
  const repeats = last ? callsOf(last).map((call) => repeatsOf(entries, call)) : [];
  if (Math.max(0, ...repeats) < 2 * DOOM_LOOP_THRESHOLD) return null;
  const text = `Repetitive behaviour detected: the same call was made ${2 * DOOM_LOOP_THRESHOLD} times in a row; the run was stopped`;
  yield { type: 'message-end', entry: history.add({ kind: 'system', code: 'doom_loop', text }) };
  return { outcome: 'error', text: salvaged(entries), error: { code: 'doom_loop', message: text } };
}
