/** Which models may be used: those that the settings enable, and that the endpoint has where its list was had. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { DEFAULT_MAX_TOKENS } from '#contract/limits.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { type ModelAliases, modelIdOf } from '../settings/model-aliases.ts';
import type { Settings } from '../settings/settings.ts';
import { providerNames } from '../settings/provider-settings.ts';
import type { KnownModels, ModelLists } from './model-lists.ts';
import { resolveModel } from './model-names.ts';
import { providerTraits } from './provider-traits.ts';
import { capabilitiesAt, UNKNOWN } from './providers/capabilities.ts';
import { addressAt, type Place, placeOf, type ProviderEnvironment } from './providers/place.ts';

export interface ModelFault {
  /** A clause that begins with the name, and the same in English. */
  says: Phrase;
  what: string;
  /** The nearest name that can be used. */
  suggestion: string | null;
  /** False for a name that could not be checked: it is used as it is. */
  isFatal: boolean;
}

/** Models that are named where others are meant. */
const NAMED = 5;

/** Most models of a list that are offered in a form. */
const OFFERED = 300;

export class ModelRules {
  readonly #settings: Pick<Settings, 'models' | 'providers'>;
  readonly #lists: ModelLists;
  readonly #environment: ProviderEnvironment;

  constructor(parts: {
    settings: Pick<Settings, 'models' | 'providers'>;
    lists: ModelLists;
    environment: ProviderEnvironment;
  }) {
    this.#settings = parts.settings;
    this.#lists = parts.lists;
    this.#environment = parts.environment;
  }

  /** Where a real provider is. Throws `bad_input` for a name that none has. */
  place(provider: string): Place {
    return placeOf(provider, this.#settings, this.#environment);
  }

  /**
   * The id of a model at a provider, or with null of the one that it takes where none is named; a provider of one model
   * answers with that. Throws `bad_input` for what is no name of a provider or a model, is not enabled, or is not in the
   * provider's list.
   */
  idFor(provider: string, nameOrId: string | null): string {
    const { onlyModel } = providerTraits(provider);
    if (onlyModel !== null) return onlyModel;
    const place = this.place(provider);
    const name = nameOrId ?? this.#defaultOf(place);
    if (name === null) throw new TriadError('bad_input', sentenceOf(phrase('no_default_model', { provider })));
    const id = this.resolve(place, name);
    const fault = this.#faultOf(place, name, id);
    if (!fault?.isFatal) return id;
    const hint = fault.suggestion === null ? '' : ` (did you mean ${fault.suggestion}?)`;
    throw new TriadError('bad_input', `The model ${fault.what}${hint}`);
  }

  /** What is wrong with the name of a model at a provider; null where nothing is known against it. */
  faultOf(nameOrId: string, provider = this.#settings.providers.active): ModelFault | null {
    if (providerTraits(provider).onlyModel !== null) return null;
    const place = this.place(provider);
    try {
      return this.#faultOf(place, nameOrId, this.resolve(place, nameOrId));
    } catch (error) {
      const says = phrase('as_it_is', { words: errorInfo(error).message });
      return faultFor(says, { suggestion: null, isFatal: true });
    }
  }

  /** Whether a provider has given a list in which a model is not; it may answer for it all the same. */
  isUnlisted(nameOrId: string, provider: string): boolean {
    const place = this.place(provider);
    const known = this.#lists.of(place.address);
    return known !== null && !isListed(known, this.resolve(place, nameOrId));
  }

  /** What is wrong with the name of a provider; null where it is one, or the demo answers for all. */
  providerFault(provider: string): Phrase | null {
    if (providerTraits(this.#settings.providers.active).isScripted) return null;
    const names = providerNames(this.#settings.providers);
    return names.includes(provider) ? null : phrase('provider_missing', { provider, names: names.join(', ') });
  }

  /** What is said where agents that name no model have none at a provider; null where they have, or the demo answers. */
  modelMissing(provider: string): Phrase | null {
    const { active } = this.#settings.providers;
    if (providerTraits(active).isScripted || this.defaultOf(provider) !== null) return null;
    return phrase('no_default_model', { provider });
  }

  /** Whether the provider searches the web itself within a request: another endpoint than its own where the person says so. */
  searches(provider: string): boolean {
    if (providerTraits(provider).isScripted) return false;
    const { entry, type, address } = this.place(provider);
    return entry.web_search === 'auto'
      ? type === 'anthropic' && address === addressAt(null, type)
      : entry.web_search === 'always';
  }

  /** What a model can do there. */
  capabilities(provider: string, model: string): Capabilities {
    if (providerTraits(provider).isScripted) return UNKNOWN;
    return capabilitiesAt(this.place(provider), model, this.#lists);
  }

  /** Output tokens of one answer, of agents that name no number. */
  maxTokens(provider: string): number {
    const own = providerTraits(provider).isScripted ? null : this.place(provider).entry.defaults.max_tokens;
    return own ?? DEFAULT_MAX_TOKENS;
  }

  /** What is said of a temperature that a model does not take; null where it does, or the demo answers. */
  temperatureFault(provider = this.#settings.providers.active, model: string | null = null): Phrase | null {
    if (providerTraits(provider).isScripted) return null;
    const place = this.place(provider);
    const name = model ?? this.#defaultOf(place) ?? '';
    const id = place.type === 'anthropic' ? (modelIdOf(name, this.#settings.models.aliases) ?? name) : name;
    if (this.capabilities(provider, id).temperature) return null;
    return phrase('cold', { address: place.address, provider, local: place.type === 'anthropic' });
  }

  /** The models that are offered at a provider, by the names that people use. */
  offered(provider: string): { alias: string; id: string }[] {
    const place = this.place(provider);
    const { entry, type, address } = place;
    const named = [entry.defaults.model, ...Object.keys(entry.models)].filter((name) => name !== null);
    const listed = type === 'anthropic' ? [] : (this.#lists.of(address)?.models.slice(0, OFFERED) ?? []);
    const usual = type === 'anthropic' ? this.#enabled() : [];
    const own = [...new Set([...named, ...listed])]
      .map((name) => (type === 'anthropic' ? (modelIdOf(name, this.#settings.models.aliases) ?? name) : name))
      .filter((id) => !usual.some((one) => one.id === id));
    return [...own.map((id) => ({ alias: id, id })), ...usual];
  }

  /** The model of agents that name none; null where they must. */
  defaultOf(provider: string): string | null {
    return providerTraits(provider).onlyModel ?? this.#defaultOf(this.place(provider));
  }

  #defaultOf({ entry, type }: Place): string | null {
    return entry.defaults.model ?? (type === 'anthropic' ? this.#settings.models.default : null);
  }

  /** By the settings; all aliases where none are enabled by name. */
  #enabled(): { alias: string; id: string }[] {
    const { aliases, enabled } = this.#settings.models;
    const all = Object.entries(aliases).map(([alias, id]) => ({ alias, id }));
    if (enabled.length === 0) return all;
    const ids = [...new Set(enabled.map((name) => resolveModel(name, aliases)))];
    return ids.map((id) => all.find((one) => one.id === id) ?? { alias: id, id });
  }

  /**
   * The id that a name stands for: aliases are of providers of type anthropic, the others go by their own ids. Throws
   * `bad_input` for what is no name of a model there.
   */
  resolve({ name: provider, type, entry }: Place, nameOrId: string): string {
    const { aliases } = this.#settings.models;
    const name = nameOrId.trim();
    if (type === 'anthropic') return resolveModel(nameOrId, aliases);
    if (Object.hasOwn(entry.models, name) || entry.defaults.model === name) return name;
    if (Object.hasOwn(aliases, name.toLowerCase()))
      throw new TriadError(
        'bad_input',
        `${name} is a name for models of providers of type anthropic: name a model of ${provider} by its id`,
      );
    if (/^[^\s\p{C}]{1,200}$/u.test(name)) return name;
    throw new TriadError('bad_input', `"${name}" is not a model: use the id of a model of ${provider}`);
  }

  #faultOf({ entry, address }: Place, name: string, id: string): ModelFault | null {
    const { aliases, enabled } = this.#settings.models;
    const named = id === name ? id : `${name} (${id})`;
    // What the person wrote down for the provider is enabled, and there.
    if (Object.hasOwn(entry.models, id) || entry.defaults.model === name) return null;
    if (enabled.length > 0 && !enabled.some((one) => one === id || modelIdOf(one, aliases) === id)) {
      const says = phrase('model_disabled', { model: named, enabled: enabled.join(', ') });
      return faultFor(says, { suggestion: nearest(name, enabled), isFatal: true });
    }
    const known = this.#lists.of(address);
    if (known === null) {
      const says = phrase('model_unchecked', { model: named, address });
      return id === name ? faultFor(says, { suggestion: null, isFatal: false }) : null;
    }
    if (isListed(known, id)) return null;
    const some = `${known.models.slice(0, NAMED).join(', ')}${known.models.length > NAMED ? ', …' : ''}`;
    const says = phrase('model_unlisted', { model: named, address, day: known.at.slice(0, 10), some });
    return faultFor(says, { suggestion: nearest(id, usableNames(known, aliases)), isFatal: true });
  }
}

function faultFor(says: Phrase, rest: Pick<ModelFault, 'suggestion' | 'isFatal'>): ModelFault {
  return { says, what: sentenceOf(says), ...rest };
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
