/** What a call is about, as its tool says: rules and grants match their patterns against it. */
import { escapePattern, patternOf } from '../base/pattern.ts';

/**
 * `path`: the values are paths, relative to the workspace folder where they lie in it. `each`: each value is something
 * that is done, which a rule of its own may allow; else what allows must match all of them. Null: unknown.
 * `whole`: all of the call as one text, where the values leave some of it out: a pattern without wildcards that is this text
 * matches it, too. Null: no pattern can stand for all of it. `startsIn`: where it begins, relative to the workspace folder;
 * left out: in that itself.
 */
export type Targets = {
  values: readonly string[];
  path: boolean;
  each?: true;
  whole?: string | null;
  startsIn?: string;
} | null;

/** How the folder in which a command begins stands behind it. */
export const STARTS_IN = '# in ';

/** All of the call, with where it begins; null where no text can stand for that. */
export function wholeText({ whole, startsIn }: NonNullable<Targets>): string | null {
  if (whole == null || startsIn === undefined) return whole ?? null;
  return `${whole} ${STARTS_IN}${startsIn}`;
}

/** A pattern that matches this very call and no more; null where nothing of it can be named. */
export function exactPattern(targets: Targets): string | null {
  if (!targets || targets.values.length === 0 || targets.whole === null) return null;
  return targets.whole === undefined ? patternOf(targets.values) : escapePattern(wholeText(targets)!);
}
