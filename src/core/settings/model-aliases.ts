/** Short names of models for people, and the ids that they stand for unless the settings say otherwise. */
export type ModelAliases = Readonly<Record<string, string>>;

export const DEFAULT_ALIASES = {
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  opus: 'claude-opus-5-5',
} as const satisfies ModelAliases;

/** The id that an alias (in any case) stands for, or the id itself; null for what is neither. */
export function modelIdOf(nameOrId: string, aliases: ModelAliases): string | null {
  const name = nameOrId.trim();
  const alias = Object.hasOwn(aliases, name.toLowerCase()) ? aliases[name.toLowerCase()] : undefined;
  if (alias !== undefined) return alias;
  // Ids carry a version, a size or a vendor: a digit or a separator; none has a space in it.
  return /^[^\s\p{Cc}]{1,128}$/u.test(name) && /[\d./:@-]/.test(name) ? name : null;
}
