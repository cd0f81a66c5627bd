/** One turn of the model: the request with its retries, streamed as hints, recorded as one message and one usage row an attempt. */
import type { AssistantEntry, Bound } from '#contract/message.ts';
import { Attempt, type Turn } from './attempt.ts';
import { buildLastingPrompt, buildSystemPrompt } from '../agents/system-prompt.ts';
import { errorInfo } from '../base/errors.ts';
import { requestKey } from '../log/step-keys.ts';
import { toldWire } from '../log/told.ts';
import { countedInput } from './context-size.ts';
import type { RunContext } from './run-context.ts';
import { estimatedInput } from './request-meter.ts';
import { type ModelRequest, UnknownStop } from '../model/model.ts';
import { streamWithRetry } from '../model/retry.ts';
import { createSendOptions } from './send-options.ts';
import { stopOf } from '../base/stop.ts';
import { takeAnswer } from './taken.ts';
import { withImages } from './with-images.ts';

/**
 * Ends with the recorded response, its calls set going, or throws the last attempt's ModelError. A response of which a
 * call was acted upon before it had come whole is final, however it ends: it is not asked for again (but an end for an
 * unknown reason is an error all the same). Nor is any other that would cross a bound: that bound is returned. A request
 * that was answered already, where this run is one that a fork goes on with, is not sent: its answer is taken. An empty
 * answer is requested once more.
 */
export async function modelTurn(run: RunContext, turn: Turn): Promise<Bound | null> {
  const known = await knownAnswer(run, turn);
  if (known) {
    takeAnswer(run, turn, known);
    return null;
  }
  const queue = run.queue();
  const wait = queue === null ? {} : { atATime: queue };
  void turn.emit({ type: 'turn-start', turn: turn.turn, model: run.envelope.model, ...wait });
  const { request, key } = await requestOf(run, turn);
  const first = await sendRequest(run, turn, { request, key, isLastTry: false });
  if (first !== 'empty') return first;
  const bound = turn.told ?? run.limits.admit(turn.turn);
  if (bound) return bound;
  const second = await sendRequest(run, turn, { request, key, isLastTry: true });
  return second === 'empty' ? null : second;
}

interface ModelSending {
  request: ModelRequest;
  key: string;
  /** True records an empty answer as the answer. False returns it as `empty`. */
  isLastTry: boolean;
}

/** Sends a request until it is answered, and records each attempt. Returns the bound that forbids another attempt. */
async function sendRequest(run: RunContext, turn: Turn, sent: ModelSending): Promise<Bound | 'empty' | null> {
  const { request, key, isLastTry } = sent;
  // The request contains the input of the last turn.
  const inputEstimate = estimatedInput(request, countedInput(run));
  let attempt: Attempt | null = null;
  const resume = run.watchdog.hold();
  try {
    for await (const event of streamWithRetry(run.model, request, createSendOptions(run, turn.turn, run.signal))) {
      if (event.type === 'attempt') {
        attempt?.leave();
        attempt = new Attempt(run, turn, { attempt: event.attempt, inputEstimate, key });
        await attempt.ready();
      } else if (event.type === 'failed') {
        await attempt?.fail(run.signal.aborted ? stopOf(run.signal) : event.error);
        if (attempt?.final && !(event.error instanceof UnknownStop)) return null;
        if (event.delayMs === null) continue;
        const bound = boundOf(run, turn, attempt);
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

/** What the next request was answered with already, where this run is one that a fork goes on with; else null. */
export async function knownAnswer(run: RunContext, turn: Pick<Turn, 'told'>): Promise<AssistantEntry | null> {
  return run.steps && run.steps.answer((await keyed(run, turn)).key);
}

/** What forbids to repeat an attempt. The one request at the limit is repeated where nobody has answered it. */
function boundOf(run: RunContext, { turn, told }: Turn, failed: Attempt | null): Bound | null {
  if (told) return failed?.answered ? told : null;
  return run.limits.admit(turn);
}

async function requestOf(run: RunContext, turn: Pick<Turn, 'told'>): Promise<{ request: ModelRequest; key: string }> {
  const { content, told, key } = await keyed(run, turn);
  const messages = await withImages(content.messages, run);
  return { request: { ...content, system: buildSystemPrompt(run.envelope), messages, tools: told }, key };
}

/**
 * Returns the content that identifies the next request, its key and the tools to send. The key depends neither on the
 * environment nor on the slots that are left, so a fork finds the steps that it has in common.
 */
async function keyed(
  run: RunContext,
  { told: bound }: Pick<Turn, 'told'>,
): Promise<{ content: ModelRequest; told: ModelRequest['tools']; key: string }> {
  const { model, maxTokens, effort, temperature, provider } = run.envelope;
  const { known, told } = await run.specs();
  const content: ModelRequest = {
    model,
    maxTokens,
    effort,
    temperature,
    system: buildLastingPrompt(run.envelope),
    messages: toldWire({ prior: run.prior, entries: run.history.entries }),
    tools: known,
    toolChoice: bound ? 'none' : 'auto',
  };
  return { content, told, key: requestKey(content, provider) };
}
