/** Entries of a run with answers that a coagent reviews. */
import type { Entry } from '#contract/message.ts';

const at = '2026-01-02T03:04:05.000Z';

/** `n`: number of the entry. `by`: the coagent that wrote it. */
export function answerEntry(n: number, text: string, by?: string): Entry {
  return {
    kind: 'assistant',
    n,
    at,
    messageId: `m${n}`,
    responseId: null,
    parts: [{ type: 'text', text }],
    stopReason: 'end_turn',
    interrupted: false,
    ...(by !== undefined && { by }),
  };
}

/** Returns three entries: the answer, its handoff to the coagent, and the verdict. */
export function reviewedAnswer(n: number, text: string, passed: boolean, score: number | null): Entry[] {
  const handoff = { kind: 'handoff', at, runId: 'r', round: 1, rounds: 3, answer: n } as const;
  const review = { answer: n, verdict: { passed, score, critique: '' } };
  return [
    answerEntry(n, text),
    { ...handoff, n: n + 1, from: 'a', to: 'b', prompt: 'Look.' },
    { ...handoff, n: n + 2, from: 'b', to: 'a', prompt: '', back: { outcome: 'completed', review } },
  ];
}
