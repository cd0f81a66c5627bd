/** Names of models: short aliases for people, ids for the provider. */
import { TriadError } from '../base/errors.ts';
import { DEFAULT_ALIASES, type ModelAliases, modelIdOf } from '../settings/model-aliases.ts';

/** The provider's id for an alias (in any case) or an id. Throws `bad_input`, with the list of aliases, for anything else. */
export function resolveModel(nameOrId: string, aliases: ModelAliases = DEFAULT_ALIASES): string {
  const id = modelIdOf(nameOrId, aliases);
  if (id !== null) return id;
  const known = Object.keys(aliases).join(', ');
  throw new TriadError(
    'bad_input',
    `"${nameOrId.trim()}" is not a model: use one of ${known}, or the provider's id of a model`,
  );
}
