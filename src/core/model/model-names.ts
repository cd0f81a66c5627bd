/** Names of models: short aliases for people, ids for the provider. */
import { TriadError } from '../base/errors.ts';
import { DEFAULT_ALIASES, type ModelAliases } from '../settings/model-aliases.ts';
import { providerTraits } from './provider-traits.ts';

/**
 * The id of a model at a provider; a provider of one model answers with that, whatever an agent's definition names.
 * Throws `bad_input` like `resolveModel`.
 */
export function modelIdFor(provider: string, nameOrId: string, aliases: ModelAliases): string {
  return providerTraits(provider).onlyModel ?? resolveModel(nameOrId, aliases);
}

/** The provider's id for an alias (in any case) or an id. Throws `bad_input`, with the list of aliases, for anything else. */
export function resolveModel(nameOrId: string, aliases: ModelAliases = DEFAULT_ALIASES): string {
  const name = nameOrId.trim();
  const alias = Object.hasOwn(aliases, name.toLowerCase()) ? aliases[name.toLowerCase()] : undefined;
  if (alias !== undefined) return alias;
  // Ids carry a version, a size or a vendor: a digit or a separator; none has a space in it.
  if (/^[^\s\p{Cc}]{1,128}$/u.test(name) && /[\d./:@-]/.test(name)) return name;
  const known = Object.keys(aliases).join(', ');
  throw new TriadError('bad_input', `"${name}" is not a model: use one of ${known}, or the provider's id of a model`);
}
