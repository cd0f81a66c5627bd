/** Names of models: short aliases for people, ids for the provider. */
import { TriadError } from '../base/errors.ts';
import { DEFAULT_ALIASES, type ModelAliases } from '../settings/model-aliases.ts';

/** Name of the scripted provider, and the id of its one model. */
export const DEMO = 'demo';

/** The id of a model at a provider; the demo has one model, whatever an agent's definition names. */
export function modelAt(provider: string, nameOrId: string, aliases: ModelAliases): string {
  return provider === DEMO ? DEMO : resolveModel(nameOrId, aliases);
}

/** The provider's id for an alias or an id; a bare word that is neither is refused with the list of aliases. */
export function resolveModel(nameOrId: string, aliases: ModelAliases = DEFAULT_ALIASES): string {
  const name = nameOrId.trim();
  const alias = Object.hasOwn(aliases, name.toLowerCase()) ? aliases[name.toLowerCase()] : undefined;
  if (alias !== undefined) return alias;
  // Ids carry a version, a size or a vendor: a digit or a separator; none has a space in it.
  if (/^[^\s\p{Cc}]{1,128}$/u.test(name) && /[\d./:@-]/.test(name)) return name;
  const known = Object.keys(aliases).join(', ');
  throw new TriadError('bad_input', `"${name}" is not a model: use one of ${known}, or the provider's id of a model`);
}
