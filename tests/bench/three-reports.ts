/** A lead with three sub-agents that write long reports at once, one word with each delta. */
import { CHILD, LEAD, spawn } from '../support/fake-model/scenarios.ts';
import { Script, text } from '../support/fake-model/script.ts';
import { report, wordsIn } from './markdown.ts';

export const WRITERS = ['alpha', 'beta', 'gamma'];

export function threeReports(words: number): Script {
  const calls = WRITERS.map((name) => spawn({ name, prompt: `Write about ${name}.` }));
  const whole = report(words);
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply(calls)
    .on(CHILD)
    .reply([text(whole, { deltas: wordsIn(whole) })])
    .on(LEAD)
    .reply([text('That is all.')]);
}
