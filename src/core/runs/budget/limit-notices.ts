/** The entries of a history that tell of a limit: when it was reached, and when the person raised it. */
import type { ErrorInfo } from '#contract/error.ts';
import type { Bound, Entry, SystemEntry } from '#contract/message.ts';
import { endsAtOnce } from './limits.ts';
import { lastResponse, type Transcript } from '#core/store/log/transcript.ts';
import type { Payload } from '#core/store/log/recorder.ts';

/** The entry that told an agent that a limit is reached. */
export type LimitNotice = SystemEntry & { bound: Bound };

/** The newest notice of a limit that the history tells; null where there is none, or it says itself that it was raised. */
export function limitNotice(entries: readonly Entry[]): LimitNotice | null {
  const last = entries.findLast(
    (entry) =>
      entry.kind === 'system' &&
      (entry.code === 'max_iterations' || entry.code === 'budget' || entry.code === 'extended'),
  );
  return last?.kind === 'system' && last.bound !== undefined ? { ...last, bound: last.bound } : null;
}

/** Whether the one answer that was asked for at the limit has come. */
export function answeredSince(entries: readonly Entry[], notice: LimitNotice): boolean {
  return (lastResponse(entries)?.n ?? -1) > notice.n;
}

/** One last request without tools asks for the report. */
export function* tellLimit(history: Transcript, bound: Bound): Generator<Payload, void> {
  yield noteLimit(history, bound);
  const request = `${reachedText(bound)}. You have no tools any more. Write your final report now, from what you have, and say what is missing.`;
  yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', text: request }) };
}

/** From this entry on the run is at the limit, until the person raises it. */
export function noteLimit(history: Transcript, bound: Bound): Payload {
  return { type: 'message-end', entry: history.add(limitRemark(bound)) };
}

/** The entry that says that a limit is reached. */
export function limitRemark(bound: Bound) {
  const code = bound.name === 'iterations' ? ('max_iterations' as const) : ('budget' as const);
  return { kind: 'system' as const, code, text: reachedText(bound), bound };
}

const reachedText = (bound: Bound): string => `The limit of ${limitText(bound)} is reached`;

/** `ask`: it has something left to do, and is asked to do it. */
export function* tellRaised(history: Transcript, { bound }: LimitNotice, ask: boolean): Generator<Payload, void> {
  const text = `The person raised the limit of ${limitText(bound)}`;
  yield { type: 'message-end', entry: history.add({ kind: 'system', code: 'extended', text }) };
  if (!ask) return;
  const tools = endsAtOnce(bound) ? 'Go on' : 'You have your tools again: go on';
  const request = `${text}. ${tools} with the task where you stopped, and write your final report when it is done.`;
  yield { type: 'message-end', entry: history.add({ kind: 'user', source: 'engine', text: request }) };
}

/** How a run ends that its time ended, or that was told of another limit and has written its report. */
export function limitEnd({ bound }: Pick<LimitNotice, 'bound'>): {
  outcome: 'budget_exceeded' | 'timed_out';
  error: ErrorInfo;
} {
  const code = bound.name === 'iterations' ? 'max_iterations' : 'limit_reached';
  const message = `The limit of ${limitText(bound)} was reached: the report may be incomplete`;
  return { outcome: endsAtOnce(bound) ? 'timed_out' : 'budget_exceeded', error: { code, message } };
}

export function limitText({ of, name, value }: Bound): string {
  const number = value.toLocaleString('en-US', { maximumFractionDigits: 9 });
  const s = value === 1 ? '' : 's';
  const words = {
    tokens: `${number} token${s}`,
    costUsd: `$${number}`,
    minutes: `${number} minute${s} of work`,
    iterations: `${number} turn${s}`,
  }[name];
  return of === 'workflow' ? `${words} for the whole workflow` : words;
}
