/** One turn of the model: the request with its retries, streamed as hints, recorded as one message and one usage row an attempt. */
import type { Bound } from '#contract/message.ts';
import { Attempt, type Turn } from './attempt.ts';
import { buildSystemPrompt } from '#core/agents/system-prompt.ts';
import { errorInfo } from '#core/base/errors.ts';
import { toldWire } from '#core/store/log/told.ts';
import { countedInput } from './context-size.ts';
import type { Run } from '../run.ts';
import { estimatedInput } from './request-meter.ts';
import { type ModelRequest, UnknownStop } from '#core/model/model.ts';
import { streamWithRetry } from '#core/model/retry.ts';
import { createSendOptions } from './send-options.ts';
import { stopOf } from '#core/base/stop.ts';
import { withImages } from './with-images.ts';

/**
 * Ends with the recorded response, its calls set going, or throws the last attempt's ModelError. A response of which a
 * call was acted upon before it had come whole is final, however it ends: it is not asked for again (but an end for an
 * unknown reason is an error all the same). Nor is any other that would cross a bound: that bound is returned. An empty
 * answer is requested once more.
 */
export async function modelTurn(run: Run, turn: Turn): Promise<Bound | null> {
  const queue = run.requests.queue();
  const wait = queue === null ? {} : { atATime: queue };
  void turn.emit({ type: 'turn-start', turn: turn.turn, model: run.envelope.model, ...wait });
  const request = await createRequest(run, turn);
  const first = await sendRequest(run, turn, { request, isLastTry: false });
  if (first !== 'empty') return first;
  const bound = turn.told ?? run.limits.admit(turn.turn);
  if (bound) return bound;
  const second = await sendRequest(run, turn, { request, isLastTry: true });
  return second === 'empty' ? null : second;
}

interface ModelSending {
  request: ModelRequest;
  /** True records an empty answer as the answer. False returns it as `empty`. */
  isLastTry: boolean;
}

/** Sends a request until it is answered, and records each attempt. Returns the bound that forbids another attempt. */
async function sendRequest(run: Run, turn: Turn, sent: ModelSending): Promise<Bound | 'empty' | null> {
  const { request, isLastTry } = sent;
  // The request contains the input of the last turn.
  const inputEstimate = estimatedInput(request, countedInput(run));
  let attempt: Attempt | null = null;
  const resume = run.watchdog.hold();
  try {
    for await (const event of streamWithRetry(
      run.requests.model,
      request,
      createSendOptions(run, turn.turn, run.signal),
    )) {
      if (event.type === 'attempt') {
        attempt?.leave();
        attempt = new Attempt(run, turn, { attempt: event.attempt, inputEstimate });
        await attempt.ready();
      } else if (event.type === 'failed') {
        await attempt?.fail(run.signal.aborted ? stopOf(run.signal) : event.error);
        if (attempt?.final && !(event.error instanceof UnknownStop)) return null;
        if (event.delayMs === null) continue;
        const bound = findRetryBound(run, turn, attempt);
        if (bound) return bound;
        const again = { turn: turn.turn, attempt: event.attempt, delayMs: event.delayMs };
        void turn.emit({ type: 'retry', ...again, error: errorInfo(event.error) });
      } else if (event.type === 'end' && event.stopReason === 'end_turn' && !isLastTry && attempt?.isEmpty) {
        await attempt.endEmpty(event.stopReason);
        return 'empty';
      } else await attempt?.take(event);
    }
  } finally {
    attempt?.leave();
    resume();
  }
  return null;
}

/** Returns the limit that forbids another attempt, or null. The last request at a limit is repeated only if unanswered. */
function findRetryBound(run: Run, { turn, told }: Turn, failed: Attempt | null): Bound | null {
  if (told) return failed?.answered ? told : null;
  return run.limits.admit(turn);
}

async function createRequest(run: Run, { told: bound }: Pick<Turn, 'told'>): Promise<ModelRequest> {
  const { model, maxTokens, effort, temperature } = run.envelope;
  return {
    model,
    maxTokens,
    effort,
    temperature,
    system: buildSystemPrompt(run.envelope),
    messages: await withImages(toldWire({ prior: run.prior, entries: run.history.entries }), run),
    tools: await run.tools.specs(),
    toolChoice: bound ? 'none' : 'auto',
  };
}
