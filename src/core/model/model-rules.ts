/** Which models may be used: those that the settings enable, and that the endpoint has where its list was had. */
import { TriadError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import { nearest } from '../base/nearest.ts';
import { type ModelAliases, modelIdOf } from '../settings/model-aliases.ts';
import type { Settings } from '../settings/settings.ts';
import { addressOf } from './kept-key.ts';
import type { KnownModels, ModelLists } from './model-lists.ts';
import { resolveModel } from './model-names.ts';
import { providerTraits } from './provider-traits.ts';

export interface ModelFault {
  /** A clause that begins with the name. */
  what: string;
  /** The nearest name that can be used. */
  suggestion: string | null;
  /** False for a name that could not be checked: it is used as it is. */
  isFatal: boolean;
}

/** Models that are named where others are meant. */
const NAMED = 5;

export class ModelRules {
  readonly #settings: Pick<Settings, 'models' | 'providers'>;
  readonly #lists: ModelLists;
  readonly #baseUrl: string | undefined;

  /** `baseUrl`: of the environment, which goes before that of the settings. */
  constructor(parts: {
    settings: Pick<Settings, 'models' | 'providers'>;
    lists: ModelLists;
    baseUrl: string | undefined;
  }) {
    this.#settings = parts.settings;
    this.#lists = parts.lists;
    this.#baseUrl = parts.baseUrl;
  }

  /** Of the endpoint that is asked; null for the provider's own. */
  get baseUrl(): string | null {
    return this.#baseUrl ?? this.#settings.providers.anthropic.base_url;
  }

  /**
   * The id of a model at a provider; a provider of one model answers with that, whatever is named. Throws `bad_input` for
   * what is no name of a model, is not enabled, or is not in the endpoint's list.
   */
  idFor(provider: string, nameOrId: string): string {
    const { onlyModel } = providerTraits(provider);
    if (onlyModel !== null) return onlyModel;
    const id = resolveModel(nameOrId, this.#settings.models.aliases);
    const fault = this.#faultOf(nameOrId, id);
    if (!fault?.isFatal) return id;
    const hint = fault.suggestion === null ? '' : ` (did you mean ${fault.suggestion}?)`;
    throw new TriadError('bad_input', `The model ${fault.what}${hint}`);
  }

  /** What is wrong with the name of a model at the active provider; null where nothing is known against it. */
  faultOf(nameOrId: string): ModelFault | null {
    if (providerTraits(this.#settings.providers.active).onlyModel !== null) return null;
    return this.#faultOf(nameOrId, resolveModel(nameOrId, this.#settings.models.aliases));
  }

  /**
   * Whether the person pointed to a model server on this machine: it needs no key, does one thing at a time, and takes a
   * temperature. What the environment names is left as it is: there it is usually a gateway to something larger.
   */
  get isLocal(): boolean {
    const { base_url: baseUrl } = this.#settings.providers.anthropic;
    return this.#baseUrl === undefined && baseUrl !== null && isLoopback(baseUrl);
  }

  /** Whether the provider searches the web itself within a request: another endpoint than its own where the person says so. */
  searches(provider: string): boolean {
    if (providerTraits(provider).isScripted) return false;
    const { web_search: wanted } = this.#settings.providers.anthropic;
    return wanted === 'auto' ? addressOf(this.baseUrl) === addressOf(null) : wanted === 'always';
  }

  /** Whether requests may name one: the Anthropic API has none any more, and refuses requests that do. */
  takesTemperature(provider: string): boolean {
    return !providerTraits(provider).isScripted && this.isLocal;
  }

  /** What is said of a temperature that the active provider does not take; null where it does, or is the demo. */
  temperatureFault(): string | null {
    const { active } = this.#settings.providers;
    if (providerTraits(active).isScripted || this.takesTemperature(active)) return null;
    return `temperature changes nothing at ${addressOf(this.baseUrl)}: it is sent only to a server on this machine that providers.anthropic.base_url names; effort says how much the model thinks`;
  }

  /** The models that the settings offer, by the names that people use; all aliases where none are enabled by name. */
  offered(): { alias: string; id: string }[] {
    const { aliases, enabled } = this.#settings.models;
    const all = Object.entries(aliases).map(([alias, id]) => ({ alias, id }));
    if (enabled.length === 0) return all;
    const ids = [...new Set(enabled.map((name) => resolveModel(name, aliases)))];
    return ids.map((id) => all.find((one) => one.id === id) ?? { alias: id, id });
  }

  #faultOf(name: string, id: string): ModelFault | null {
    const { aliases, enabled } = this.#settings.models;
    const named = id === name ? id : `${name} (${id})`;
    if (enabled.length > 0 && !enabled.some((one) => modelIdOf(one, aliases) === id)) {
      const what = `${named} is not enabled: models.enabled has ${enabled.join(', ')}`;
      return { what, suggestion: nearest(name, enabled), isFatal: true };
    }
    const address = addressOf(this.baseUrl);
    const known = this.#lists.of(address);
    if (known === null) {
      const what = `${named} is not checked: ${address} has not given a list of its models`;
      return id === name ? { what, suggestion: null, isFatal: false } : null;
    }
    if (isListed(known, id)) return null;
    const some = `${known.models.slice(0, NAMED).join(', ')}${known.models.length > NAMED ? ', …' : ''}`;
    const what = `${named} is not in the list of ${address} of ${known.at.slice(0, 10)}, which has ${some}; "triad doctor" asks for it anew`;
    return { what, suggestion: nearest(id, usableNames(known, aliases)), isFatal: true };
  }
}

/** Lists have ids with a date or a tag that requests may leave out; `*` in a list stands for anything. */
function isListed({ models }: KnownModels, id: string): boolean {
  const bare = bareName(id);
  const isPinned = /[-@]\d{8}$/.test(id);
  return models.some((one) => {
    if (one.includes('*')) return id.startsWith(one.slice(0, one.indexOf('*')));
    return one === id || one === bare || (!isPinned && bareName(one) === bare);
  });
}

function bareName(id: string): string {
  return id.replace(/([-@]\d{8}|[-:]latest)$/, '');
}

function usableNames(known: KnownModels, aliases: ModelAliases): string[] {
  const ofAliases = Object.entries(aliases).flatMap(([alias, id]) => (isListed(known, id) ? [alias] : []));
  return [...ofAliases, ...known.models];
}
