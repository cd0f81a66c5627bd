/** Asks the person at the terminal how a run continues at its limit. */
import type { Answer, Subject } from '#contract/approval.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Resolves with the answer. A closed terminal lets the run finish. `stop` stops the run, and answers nothing. */
export async function askLimit(
  terminal: Terminal,
  { bound: { name } }: Extract<Subject, { kind: 'limit' }>,
  signal: AbortSignal,
): Promise<Answer | 'stop'> {
  for (;;) {
    await terminal.discardTyped(signal);
    const line = await terminal.ask('[e]xtend (or e NUMBER), [f]inish now, [s]top, then Enter: ', signal);
    const answer = line?.trim().toLowerCase() ?? 'f';
    const extend = /^(?:e|extend)(?:\s+(\d+(?:\.\d+)?))?$/.exec(answer);
    if (extend)
      return extend[1] === undefined ? { kind: 'allow' } : { kind: 'edit', value: { [name]: Number(extend[1]) } };
    if (answer === 'f' || answer === 'finish') return { kind: 'reject', reason: '' };
    if (answer === 's' || answer === 'stop') return 'stop';
  }
}
