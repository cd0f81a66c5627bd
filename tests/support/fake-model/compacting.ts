/** A model that summarises, and what it reports of the size of a context. */
import { type Block, Script, text } from './script.ts';

/** The request for a summary. */
export const SUMMARISER = /^You write notes for yourself/;
/** What every summary of this model says. */
export const NOTES = '## Task\nThe notes of the model.';

/** With a rule for summaries, before all others. */
export function summarising(): Script {
  return new Script().on({ system: SUMMARISER }).reply([text(NOTES)], { usage: { input: 700, output: 30 } });
}

/** So many tokens of words, by estimate. */
export function words(tokens: number, about = 'word '): Block {
  return text(about.repeat(Math.ceil((4 * tokens) / about.length)));
}
