/** Resolves the names of models at a provider, and checks them against the settings and the endpoint's list. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { DEFAULT_MAX_TOKENS, MAX_DEFAULT_OUTPUT } from '#contract/limits.ts';
import type { Capabilities } from '#contract/providers/provider.ts';
import { errorInfo, TriadError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { type ModelAliases, modelIdOf } from '../settings/model-aliases.ts';
import type { Settings } from '../settings/settings.ts';
import { providerNames } from '../settings/provider-settings.ts';
import type { KnownModels, ModelLists } from './model-lists.ts';
import { concreteModels, hasWord, listedId, newestOfFamily, onlyModel } from './model-matching.ts';
import { providerTraits } from './provider-traits.ts';
import { capabilitiesAt, UNKNOWN } from './providers/capabilities.ts';
import { addressAt, type Place, placeOf, type ProviderEnvironment } from './providers/place.ts';

export interface ModelFault {
  /** A clause that begins with the name, and the same in English. */
  says: Phrase;
  what: string;
  /** The nearest name that can be used. */
  suggestion: string | null;
  /** `refused`: not enabled, or not a name. `unlisted`: not in the endpoint's list. `unchecked`: there is no list. */
  kind: 'refused' | 'unlisted' | 'unchecked';
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
   * Returns the id of a model at a provider, or with null of its default model. Throws `bad_input` for an unknown provider,
   * for a name that is none, and for a model that is not enabled. A model that is not in the endpoint's list passes.
   */
  idFor(provider: string, nameOrId: string | null): string {
    const scripted = providerTraits(provider).onlyModel;
    if (scripted !== null) return scripted;
    const place = this.place(provider);
    const name = nameOrId ?? this.#defaultOf(place);
    if (name === null) throw new TriadError('bad_input', sentenceOf(phrase('no_default_model', { provider })));
    const id = this.resolve(place, name);
    const fault = this.#faultOf(place, name, id);
    if (fault?.kind !== 'refused') return id;
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
      return faultFor(says, { suggestion: null, kind: 'refused' });
    }
  }

  /** Whether a provider has given a list in which a model is not; it may answer for it all the same. */
  isUnlisted(nameOrId: string, provider: string): boolean {
    const place = this.place(provider);
    const known = this.#lists.of(place.address);
    return known !== null && listedId(known.models, this.resolve(place, nameOrId)) === null;
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

  /** A warning about a model that the endpoint does not list; null for a listed model, and without a list. */
  warning(provider: string, model: string): Phrase | null {
    const fault = this.faultOf(model, provider);
    return fault?.kind === 'unlisted' ? fault.says : null;
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

  /** Default number of output tokens of one answer: the setting, or the model's own maximum up to a bound. */
  maxTokens(provider: string, model: string): number {
    if (providerTraits(provider).isScripted) return DEFAULT_MAX_TOKENS;
    const { maxOutput } = this.capabilities(provider, model);
    const own = this.place(provider).entry.defaults.max_tokens;
    return own ?? (maxOutput === null ? DEFAULT_MAX_TOKENS : Math.min(maxOutput, MAX_DEFAULT_OUTPUT));
  }

  /** What is said of a temperature that a model does not take; null where it does, or the demo answers. */
  temperatureFault(provider = this.#settings.providers.active, model: string | null = null): Phrase | null {
    if (providerTraits(provider).isScripted) return null;
    const place = this.place(provider);
    const id = this.#requestedId(place, model ?? this.#defaultOf(place) ?? '');
    if (this.capabilities(provider, id).temperature) return null;
    return phrase('cold', { address: place.address, provider, local: place.type === 'anthropic' });
  }

  /** The models that are offered at a provider, by the names that people use: the settings' own, aliases, the list. */
  offered(provider: string): { alias: string; id: string }[] {
    const place = this.place(provider);
    const { entry, type, address } = place;
    const { aliases } = this.#settings.models;
    const models = this.#lists.of(address)?.models;
    const own = [entry.defaults.model, ...Object.keys(entry.models)].filter((name) => name !== null);
    const usual = type === 'anthropic' ? this.#enabled() : [];
    // Aliases that are no names of the endpoint's models stay out: its list says more.
    const named = [...own, ...usual]
      .map((alias) => ({ alias, id: this.#requestedId(place, alias) }))
      .filter(({ alias, id }) => {
        if (models === undefined || !Object.hasOwn(aliases, alias)) return true;
        const configured = listedId(models, aliases[alias as keyof typeof aliases]);
        return id === configured || (models.includes(id) && hasWord(id, alias));
      });
    const isEnabled = this.#enabledTest(place);
    const listed = concreteModels(models ?? [])
      .filter(isEnabled)
      .slice(0, OFFERED)
      .map((id) => ({ alias: id, id }));
    const all = [...named, ...listed];
    return all.filter(({ id }, index) => all.findIndex((one) => one.id === id) === index);
  }

  /** The model of agents that name none; null where they must. */
  defaultOf(provider: string): string | null {
    return providerTraits(provider).onlyModel ?? this.#defaultOf(this.place(provider));
  }

  /** Without a default model an endpoint with a single model uses that one. */
  #defaultOf({ entry, type, address }: Place): string | null {
    const usual = entry.defaults.model ?? (type === 'anthropic' ? this.#settings.models.default : null);
    return usual ?? onlyModel(this.#lists.of(address)?.models ?? []);
  }

  /** Names of the enabled models; all aliases where none are enabled by name. */
  #enabled(): string[] {
    const { aliases, enabled } = this.#settings.models;
    if (enabled.length === 0) return Object.keys(aliases);
    const aliasOf = (name: string) =>
      Object.keys(aliases).find((alias) => aliases[alias as keyof typeof aliases] === name);
    return enabled.map((name) => aliasOf(modelIdOf(name, aliases) ?? name) ?? name);
  }

  #isEnabled(place: Place, id: string): boolean {
    return this.#enabledTest(place)(id);
  }

  /** Returns a test of ids. It resolves the enabled names once, because each takes time that grows with the list. */
  #enabledTest(place: Place): (id: string) => boolean {
    const { aliases, enabled } = this.#settings.models;
    if (enabled.length === 0) return () => true;
    const ids = new Set(enabled.flatMap((one) => [one, modelIdOf(one, aliases), this.#requestedId(place, one)]));
    return (id) => ids.has(id);
  }

  /** Returns the id that is requested for a name at a provider. Throws `bad_input` for text that cannot be a model's name. */
  resolve(place: Place, nameOrId: string): string {
    const name = nameOrId.trim();
    if (/^[^\s\p{C}]{1,200}$/u.test(name)) return this.#requestedId(place, name);
    throw new TriadError('bad_input', `"${name}" is not a model: use the id of a model of ${place.name}`);
  }

  /**
   * An alias stands for its configured id if the endpoint lists that; else for the newest listed model of its family; else
   * for the only listed model; else for the configured id.
   */
  #requestedId({ type, entry, address }: Place, nameOrId: string): string {
    const { aliases } = this.#settings.models;
    const name = nameOrId.trim();
    const alias = name.toLowerCase();
    const models = this.#lists.of(address)?.models ?? [];
    const isOwn =
      Object.hasOwn(entry.models, name) ||
      (type !== 'anthropic' && entry.defaults.model === name && (models.length === 0 || models.includes(name)));
    if (isOwn) return name;
    if (!Object.hasOwn(aliases, alias)) return listedId(models, name) ?? name;
    const configured = aliases[alias as keyof typeof aliases];
    const newest = hasWord(configured, alias) ? newestOfFamily(models, alias) : null;
    return listedId(models, configured) ?? newest ?? onlyModel(models) ?? configured;
  }

  #faultOf(place: Place, name: string, id: string): ModelFault | null {
    const { entry, address, type } = place;
    const { aliases, enabled } = this.#settings.models;
    const named = id === name ? id : `${name} (${id})`;
    // A model that the person configured for the provider is enabled and there.
    if (Object.hasOwn(entry.models, id) || entry.defaults.model === name) return null;
    if (!this.#isEnabled(place, id)) {
      const says = phrase('model_disabled', { model: named, enabled: enabled.join(', ') });
      return faultFor(says, { suggestion: nearest(name, enabled), kind: 'refused' });
    }
    const known = this.#lists.of(address);
    const isAlias = Object.hasOwn(aliases, name.toLowerCase());
    if (known === null) {
      // Aliases name models of Anthropic, which other endpoints rarely have.
      if (isAlias && type === 'anthropic') return null;
      const says = phrase('model_unchecked', { model: named, address });
      return faultFor(says, { suggestion: null, kind: isAlias ? 'unlisted' : 'unchecked' });
    }
    if (listedId(known.models, id) !== null) return null;
    const some = `${known.models.slice(0, NAMED).join(', ')}${known.models.length > NAMED ? ', …' : ''}`;
    const says = phrase('model_unlisted', { model: named, address, day: known.at.slice(0, 10), some });
    return faultFor(says, { suggestion: nearest(id, usableNames(known, aliases)), kind: 'unlisted' });
  }
}

function faultFor(says: Phrase, rest: Pick<ModelFault, 'suggestion' | 'kind'>): ModelFault {
  return { says, what: sentenceOf(says), ...rest };
}

function usableNames(known: KnownModels, aliases: ModelAliases): string[] {
  const ofAliases = Object.entries(aliases).flatMap(([alias, id]) =>
    listedId(known.models, id) === null ? [] : [alias],
  );
  return [...ofAliases, ...known.models];
}
