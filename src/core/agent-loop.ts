/** The loop of every agent: model turn, tool calls, model turn, … until it has answered, was stopped or hit a bound. */
import { DOOM_LOOP_THRESHOLD } from '#contract/limits.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import {
  callsOf,
  type History,
  lastResponse,
  nextStep,
  repeatsOf,
  salvaged,
  textOf,
  turnsOf,
} from './history.ts';
import { answeredSince, limitEnd, limitTold, noteLimit, tellLimit, tellRaised } from './limit-words.ts';
import type { LoopRun } from './loop-run.ts';
import { modelTurn } from './model-turn.ts';
import type { Payload, Recorded } from './recorder.ts';
import { stopOf } from './stop.ts';
import { inFlight } from './tool-calls.ts';

export interface RunResult {
  outcome: Outcome;
  /** The answer, or what there was of it. */
  text: string;
  error: ErrorInfo | null;
}

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
        yield* tellRaised(history, told);
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
      if (step.do === 'close') return closing(step.last, history.entries);

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
function* endTurn(history: History): Generator<Payload, RunResult | null> {
  const { entries } = history;
  const last = lastResponse(entries);
  yield { type: 'turn-end', turn: turnsOf(entries) - 1, stopReason: last?.stopReason ?? null };
  const repeats = last ? callsOf(last).map((call) => repeatsOf(entries, call)) : [];
  if (Math.max(0, ...repeats) < 2 * DOOM_LOOP_THRESHOLD) return null;
  const text = `Repetitive behaviour detected: the same call was made ${2 * DOOM_LOOP_THRESHOLD} times in a row; the run was stopped`;
  yield { type: 'message-end', entry: history.add({ kind: 'system', code: 'doom_loop', text }) };
  return { outcome: 'error', text: salvaged(entries), error: { code: 'doom_loop', message: text } };
}

/** How a run ends that ends by itself. What it said before stands in for an answer that is missing. */
function closing(last: AssistantEntry | undefined, entries: readonly Entry[]): RunResult {
  const answer = last ? textOf(last) : '';
  const text = answer || salvaged(entries);
  switch (last?.stopReason) {
    case 'refusal':
      return {
        outcome: 'refused',
        text,
        error: { code: 'refused', message: 'The model declined to answer' },
      };
    case 'max_tokens':
      return {
        outcome: 'partial',
        text,
        error: { code: 'max_tokens', message: 'The answer was cut off at the limit of output tokens' },
      };
    case 'context_exceeded':
      return {
        outcome: 'partial',
        text,
        error: {
          code: 'max_tokens',
          message: "The model's context is full: start a new conversation, or ask for less at once",
        },
      };
    default:
      if (answer === '')
        return {
          outcome: 'partial',
          text,
          error: { code: 'provider', message: 'The model ended without an answer' },
        };
      return { outcome: 'completed', text, error: null };
  }
}
