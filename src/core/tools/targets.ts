/** What a call is about, as its tool says: rules and grants match their patterns against it. */
import { escapePattern, patternOf } from '../base/pattern.ts';

/**
 * `path`: the values are paths, relative to the workspace folder where they lie in it. `each`: each value is something
 * that is done, which a rule of its own may allow; else what allows must match all of them. Null: unknown.
 * `whole`: all of the call as one text, where the values leave some of it out: a pattern without wildcards that is this text
 * matches it, too. Null: no pattern can stand for all of it.
 */
export type Targets = { values: readonly string[]; path: boolean; each?: true; whole?: string | null } | null;

/** A pattern that matches this very call and no more; null where nothing of it can be named. */
export function exactPattern(targets: Targets): string | null {
  if (!targets || targets.values.length === 0 || targets.whole === null) return null;
  return targets.whole === undefined ? patternOf(targets.values) : escapePattern(targets.whole);
}
