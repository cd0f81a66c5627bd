/** The judgement of an ended coagent on an answer. Pure. */
import type { Flow } from '#contract/agent.ts';
import type { Entry, HandoffEntry, ToolEntry } from '#contract/message.ts';
import { isDeclaredDone } from './control-flow.ts';
import { feedbackWords } from './handoff-prompt.ts';
import { lastResponse } from '#core/store/log/transcript.ts';
import type { RunResult } from '#core/runs/loop/closing.ts';
import { cutAtCodePoint } from '#core/base/text.ts';

/** Maximum length of a stored critique, in code units. The agent receives all of it. */
const MAX_CRITIQUE_CHARS = 8_000;

export interface Heard extends RunResult {
  /** Entries of the coagent's run. */
  entries: readonly Entry[];
}

/** Returns the fields of the handoff back. `changes`: returns true for a tool that changes or runs something. */
export function judged(
  { type, coagent }: Pick<Flow, 'type' | 'coagent'>,
  answer: number,
  { outcome, text, error, entries }: Heard,
  changes: (tool: string) => boolean,
): Pick<HandoffEntry, 'prompt'> & { back: NonNullable<HandoffEntry['back']> } {
  if (outcome !== 'completed') return { prompt: '', back: { outcome, error: error?.message ?? outcome } };
  const name = coagent?.agent ?? '';
  const told = feedbackWords({ type }, name, text);
  if (type === 'loop') return { prompt: told, back: { outcome } };
  const last = lastResponse(entries);
  const passed = last !== undefined && isDeclaredDone(entries, last);
  const critique = cutAtCodePoint(text, MAX_CRITIQUE_CHARS);
  const review = { answer, verdict: { passed, score: scoreIn(text), critique } };
  // A coagent that changed nothing adds nothing to the answer, except in a chat, where it is one of two authors.
  const adds = type === 'chat' || hasWorked(entries, changes);
  const prompt = passed ? (adds ? text : '') : told;
  return { prompt, back: { outcome, review } };
}

/** Returns the last score, anywhere on its line; null for none. */
export function scoreIn(text: string): number | null {
  const scores = [...text.matchAll(/(?<![\p{L}\p{N}])score[*_]*[ \t]*:[ \t*_]*(\d{1,3})(?!\d)/giu)].map(([, score]) =>
    Number(score),
  );
  const last = scores.at(-1);
  return last === undefined || last > 100 ? null : last;
}

/** Returns true if a call that changes or runs something was executed, with any outcome. */
function hasWorked(entries: readonly Entry[], changes: (tool: string) => boolean): boolean {
  return entries.some((entry) => entry.kind === 'tool' && changes(entry.name) && wasMade(entry));
}

/** Returns true for an executed call. A refused call has none of these marks. */
function wasMade({ status, metadata }: ToolEntry): boolean {
  return status === 'completed' || metadata['undoable'] === true || 'exitCode' in metadata;
}
