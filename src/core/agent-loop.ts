/** The loop of every agent: model turn, tool calls, model turn, … until it has answered, was stopped or hit a bound. */
import { DOOM_LOOP_THRESHOLD } from '#contract/limits.ts';
import type { ErrorInfo } from '#contract/error.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import { callsOf, lastResponse, lastText, nextStep, repeatsOf, textOf, turnsOf } from './history.ts';
import type { LoopRun } from './loop-run.ts';
import { modelTurn } from './model-turn.ts';
import type { Payload } from './recorder.ts';
import { stopOf } from './stop.ts';
import { settleCalls } from './tool-calls.ts';

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
export async function* agentLoop(run: LoopRun): AsyncGenerator<Payload, RunResult> {
  const { history, signal } = run;
  for (;;) {
    const step = nextStep(history.entries);
    const atLimit = history.entries.some(
      (entry) => entry.kind === 'system' && entry.code === 'max_iterations',
    );
    if (step.do === 'settle') {
      yield* settleCalls(run, step.calls, atLimit);
      yield turnEnd(history.entries);
      if (inDoomLoop(history.entries)) {
        const text = `Repetitive behaviour detected: the same call was made ${2 * DOOM_LOOP_THRESHOLD} times in a row; the run was stopped`;
        yield { type: 'message-end', entry: history.add({ kind: 'system', code: 'doom_loop', text }) };
        return {
          outcome: 'error',
          text: lastText(history.entries),
          error: { code: 'doom_loop', message: text },
        };
      }
      if (atLimit) return closing(lastResponse(history.entries), run.envelope.limits.maxIterations);
      continue;
    }
    if (signal.aborted) throw stopOf(signal);
    // The one answer that was asked for at the limit ends the run, whatever it is.
    if (atLimit && answeredAtLimit(history.entries)) {
      return closing(lastResponse(history.entries), run.envelope.limits.maxIterations);
    }
    // The answer is not final while sub-agents still work: their reports may change it.
    const reports = await run.backgroundReports(step.do === 'close');
    if (reports) {
      yield {
        type: 'message-end',
        entry: history.add({ kind: 'user', source: 'engine', text: reports.text, reportsOf: reports.runIds }),
      };
      continue;
    }
    if (step.do === 'close') return closing(step.last, null);

    const turn = turnsOf(history.entries);
    const bound = !atLimit && turn >= run.envelope.limits.maxIterations;
    if (bound) yield* tellLimit(run);
    yield* modelTurn(run, turn, bound || atLimit ? 'none' : 'auto');
    const response = lastResponse(history.entries);
    if (response && callsOf(response).length === 0) yield turnEnd(history.entries);
  }
}

function turnEnd(entries: readonly Entry[]): Payload {
  return {
    type: 'turn-end',
    turn: turnsOf(entries) - 1,
    stopReason: lastResponse(entries)?.stopReason ?? null,
  };
}

function answeredAtLimit(entries: readonly Entry[]): boolean {
  const told = entries.findLastIndex((entry) => entry.kind === 'system' && entry.code === 'max_iterations');
  return (lastResponse(entries)?.n ?? -1) > (entries[told]?.n ?? Infinity);
}

function inDoomLoop(entries: readonly Entry[]): boolean {
  const response = lastResponse(entries);
  return (
    response !== undefined &&
    callsOf(response).some((call) => repeatsOf(entries, call) >= 2 * DOOM_LOOP_THRESHOLD)
  );
}

/** The bound of iterations: one last request without tools asks for the report. */
function* tellLimit({ history, envelope }: LoopRun): Generator<Payload, void> {
  const text = `The limit of ${envelope.limits.maxIterations} iterations is reached`;
  yield { type: 'message-end', entry: history.add({ kind: 'system', code: 'max_iterations', text }) };
  const request = `${text}. You have no tools any more. Write your final report now, from what you have, and say what is missing.`;
  yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', text: request }) };
}

/** How a run ends that ends by itself; `limit` is the bound of iterations where it was reached. */
function closing(last: AssistantEntry | undefined, limit: number | null): RunResult {
  const text = last ? textOf(last) : '';
  if (limit !== null) {
    const message = `The limit of ${limit} iterations was reached: the report may be incomplete`;
    return { outcome: 'budget_exceeded', text, error: { code: 'max_iterations', message } };
  }
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
      if (text === '')
        return {
          outcome: 'partial',
          text,
          error: { code: 'provider', message: 'The model ended without an answer' },
        };
      return { outcome: 'completed', text, error: null };
  }
}
