/** What a call is about, as its tool says: rules and grants match their patterns against it. */

/** `path`: the values are paths, relative to the workspace folder where they lie in it. Null: unknown. */
export type Targets = { values: readonly string[]; path: boolean } | null;
