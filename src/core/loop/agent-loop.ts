/** The loop of every agent: model turn, tool calls, model turn, … until it has answered, was stopped or hit a limit. */
import type { Bound, Word } from '#contract/message.ts';
import { limitNotice, answeredSince, tellLimit, tellRaised } from '../budget/limit-notices.ts';
import { doomLoopThresholdOf, endsAtOnce } from '../budget/limits.ts';
import { newId } from '../base/ids.ts';
import { stopOf } from '../base/stop.ts';
import { lastResponse, nextStep, type Transcript, turnsOf } from '../log/transcript.ts';
import type { Payload, Recorded } from '../log/recorder.ts';
import type { RunResult } from './closing.ts';
import { makeRoom, roomAfterFull, roomAfterRefusal } from './compaction.ts';
import { knownAnswer, modelTurn } from './model-turn.ts';
import { asPromised } from './output-check.ts';
import { reflect } from './reflection.ts';
import type { RunContext } from './run-context.ts';
import { answerAtLimit, type Ending, limitCrossed, repeatedCalls } from './stop-conditions.ts';
import { takeBetween } from './taken.ts';
import { inFlight } from './tool-calls.ts';

/**
 * Yields the run's events in order and is resumed when each was dealt with. What comes next is read from the history
 * alone, so a run that is rebuilt from the store goes on here like any other. Throws when the model fails for good
 * (ModelError) and when the run is stopped (Stopped), after every open call got its result.
 */
export async function* agentLoop(run: RunContext): AsyncGenerator<Payload, RunResult, Recorded> {
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
      const known = run.steps?.between();
      if (known) {
        yield takeBetween(history, known);
        continue;
      }
      if (notice && run.limits.isRaised(notice.bound)) {
        // An answer that only its review was missing for is not asked for again.
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
      // Nor while the person has said something to it. A response in which the provider has only paused is one with the next.
      const words = lastResponse(history.entries)?.stopReason === 'pause_turn' ? [] : run.unheard();
      if (words.length > 0) {
        yield* tellWords(history, words);
        continue;
      }
      if (step.do === 'close') {
        const result = yield* reflect(run, step.last, notice);
        const last = result && run.partner ? yield* run.partner.next(step.last, result, notice) : result;
        // Said meanwhile. Without a wait from here to the end: who says something from now on comes too late, and is told so.
        if (!last || run.unheard().length > 0) continue;
        run.limits.close();
        return asPromised(run.envelope, last);
      }

      // What is known already needs no room, and nothing comes between that was not there.
      const isKnown = (await knownAnswer(run, { told: null })) !== null;
      const undone = isKnown ? null : await run.undone();
      if (undone) {
        yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', ...undone }) };
        continue;
      }
      if (!notice && !isKnown && (yield* makeRoom(run))) continue;
      const turn = turnsOf(history.entries);
      const bound = notice ? null : run.limits.admit(turn);
      const timeUp = bound && endsAtOnce(bound) ? limitCrossed(history, bound, false) : null;
      if (timeUp) {
        run.limits.close();
        return yield* end(history, timeUp);
      }
      // A bound that is raised, or a stop, is seen at the next look.
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

/** A response like any other, but that nobody was asked for. */
function asAnswer(text: string) {
  const parts = [{ type: 'text' as const, text }];
  const ids = { messageId: newId(), responseId: null };
  return { kind: 'assistant' as const, ...ids, parts, stopReason: 'end_turn' as const, interrupted: false };
}

/** What calls are answered with that a run makes at its limit. */
const AT_LIMIT = 'Not run: the limit is reached';

function* end(history: Transcript, { remark, result }: Ending): Generator<Payload, RunResult> {
  if (remark) yield { type: 'message-end', entry: history.add(remark) };
  return result;
}
