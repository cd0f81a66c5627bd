/** What a call is about, as its tool says: rules and grants match their patterns against it. */

/**
 * `path`: the values are paths, relative to the workspace folder where they lie in it. `each`: each value is something
 * that is done, which a rule of its own may allow; else what allows must match all of them. Null: unknown.
 */
export type Targets = { values: readonly string[]; path: boolean; each?: true } | null;
