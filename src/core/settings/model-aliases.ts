/** Short names of models for people, and the ids that they stand for unless the settings say otherwise. */
export type ModelAliases = Readonly<Record<string, string>>;

export const DEFAULT_ALIASES = {
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  opus: 'claude-opus-5-5',
} as const satisfies ModelAliases;
