/** What a call is about, as its tool tells it: rules and grants hold their patterns against it. */

/** `path`: the values are paths, relative to the workspace folder where they lie in it. Null: it cannot be told. */
export type Targets = { values: readonly string[]; path: boolean } | null;
