/** The providers of this installation: every one of the settings, and the demo; each with its model, key and limits. */
import type { Input, Output, Parsed } from '#contract/rpc.ts';
import type { Language } from '#contract/messages/language.ts';
import type { AppState } from '#contract/app-state.ts';
import { DEMO } from '#contract/providers/demo.ts';
import type { ProviderState } from '#contract/providers/provider.ts';
import { keyElsewhereSentence } from '#contract/providers/key-elsewhere-text.ts';
import { TriadError } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { LiveSettings } from '../../settings/live-settings.ts';
import { BUILTIN, providerEntry, providerNames } from '../../settings/provider-settings.ts';
import type { Secrets } from '../../settings/secrets.ts';
import type { CreateModel } from '../adapters.ts';
import { AnsweredHosts } from '../answered-hosts.ts';
import type { Embeddings } from '../embeddings.ts';
import type { Model } from '../model.ts';
import type { ModelLists } from '../model-lists.ts';
import { ModelRules } from '../model-rules.ts';
import { providerTraits, SCRIPTED_CONCURRENCY } from '../provider-traits.ts';
import { cleanKey, ProviderKeys } from './keys.ts';
import { ListAsker } from './list-asker.ts';
import { addressAt, concurrencyAt, type Place, placeOf, type ProviderEnvironment } from './place.ts';
import { testEndpoint } from './test-endpoint.ts';

export interface ProviderPorts {
  secrets: Secrets;
  settings: LiveSettings;
  lists: ModelLists;
  /** Left out: addresses that have answered are forgotten at the end of the program. */
  hosts?: AnsweredHosts;
  environment: ProviderEnvironment;
  createModel: CreateModel;
  /** Default: the demo at its usual pace. */
  createDemo?: (options: { language: () => Language }) => Model;
}

/** Conversations of which the language of the demo is known. */
const DEMO_LANGUAGES = 100;

export class Providers {
  /** In which language the demo answers what is begun from now on, by conversation: that of its last message; English is left out. */
  readonly #demoLanguages = new Map<string, Language>();
  /** Which models may be used at each. */
  readonly models: ModelRules;
  readonly #ports: ProviderPorts;
  readonly #keys: ProviderKeys;
  readonly #asker: ListAsker;
  readonly #hosts: AnsweredHosts;
  #embeddings: { as: string; made: Embeddings } | null = null;
  /** The cached real models by provider; replaced when key, endpoint or type change. */
  readonly #made = new Map<string, { place: string; model: Promise<Model> }>();

  constructor(ports: ProviderPorts) {
    this.#ports = ports;
    const { settings, lists, environment } = ports;
    this.models = new ModelRules({ settings, lists, environment });
    this.#keys = new ProviderKeys(ports.secrets);
    this.#hosts = ports.hosts ?? new AnsweredHosts();
    this.#asker = new ListAsker(lists, (place) => this.#keyAt(place));
  }

  /** The active one: for runs that start now, where nothing else is said. */
  get active(): string {
    return this.#ports.settings.providers.active;
  }

  /** The one that is meant where a request names none. */
  get #real(): string {
    return providerTraits(this.active).isScripted ? 'anthropic' : this.active;
  }

  /** Where keys are kept. */
  get keyPlace(): Secrets['place'] {
    return this.#ports.secrets.place;
  }

  /**
   * The model of a provider, shared by all of its runs. Runs name their own provider, so that one that was approved for a
   * provider is not served by another. `conversationId`: where it answers, for the language of the demo, which is made anew
   * each time. Throws `no_key` where no key is set up, and `bad_input` for a name that none has.
   */
  async model(name: string = this.active, conversationId = ''): Promise<Model> {
    if (providerTraits(name).isScripted) return this.#createDemo(conversationId);
    const place = this.models.place(name);
    const as = `${place.type} ${place.address}`;
    if (this.#made.get(name)?.place !== as) this.#made.set(name, { place: as, model: this.#create(place) });
    const made = this.#made.get(name)!;
    try {
      const model = await made.model;
      await this.#asker.renew(place);
      return model;
    } catch (error) {
      if (this.#made.get(name) === made) this.#made.delete(name);
      throw error;
    }
  }

  /** Returns whether the endpoint of a provider has answered this installation. */
  hasAnswered(name: string): boolean {
    const address = this.#findAddress(name);
    return address === null || this.#hosts.has(address) || this.#ports.lists.of(address) !== null;
  }

  /** Records that the endpoint of a provider answers. */
  noteAnswer(name: string): void {
    const address = this.#findAddress(name);
    if (address !== null) void this.#hosts.add(address);
  }

  /** Returns the address of a provider; null for the demo, and for a provider that was removed. */
  #findAddress(name: string): string | null {
    const isRemoved = !providerNames(this.#ports.settings.providers).includes(name);
    return providerTraits(name).isScripted || isRemoved ? null : this.models.place(name).address;
  }

  /** Requests the list of models of an endpoint that has given none, so that names can be resolved. Never rejects. */
  async knowModels(name: string): Promise<void> {
    if (providerTraits(name).isScripted || !providerNames(this.#ports.settings.providers).includes(name)) return;
    await this.#asker.renew(this.models.place(name));
  }

  /** Most concurrent model requests of sub-agents at a provider; one that is not there any more has one left. */
  concurrency(name: string): number {
    if (providerTraits(name).isScripted) return SCRIPTED_CONCURRENCY;
    return providerNames(this.#ports.settings.providers).includes(name) ? concurrencyAt(this.models.place(name)) : 1;
  }

  /** Each as it stands, the demo last. */
  async states(): Promise<ProviderState[]> {
    const names = providerNames(this.#ports.settings.providers);
    const real = await Promise.all(names.map((name) => this.#stateOf(this.models.place(name))));
    return [...real, this.#demoState()];
  }

  async state(name: string = this.active): Promise<AppState['provider']> {
    return providerTraits(name).isScripted ? this.#demoState() : this.#stateOf(this.models.place(name));
  }

  /**
   * Changes what is given: an empty text removes it. A key is kept for the endpoint that is given with it, else for the
   * current one. Throws `bad_input` for a key that no header can carry, and `no_key` for another endpoint to which the
   * present key may not go.
   */
  async set({ name = this.#real, apiKey, baseUrl, model, active }: Parsed<'provider.set'>): Promise<void> {
    const { settings } = this.#ports;
    const given = [apiKey, baseUrl, model].some((value) => value !== undefined);
    if (!providerTraits(name).isScripted) {
      const place = this.models.place(name);
      const key = apiKey === undefined ? undefined : cleanKey(apiKey);
      const url = baseUrl === undefined ? place.baseUrl : baseUrl || null;
      const address = addressAt(url, place.type);
      if (address !== place.address) await this.#keys.mustMove(place, address, key);
      if (baseUrl !== undefined) await settings.set(`providers.${name}.base_url`, baseUrl || null);
      if (model !== undefined) await settings.set(`providers.${name}.defaults.model`, model || null);
      if (key !== undefined) await this.#keys.keep(name, key === '' ? null : { apiKey: key, address });
    } else if (given) throw new TriadError('bad_input', 'The demo has no key, address or model to set');
    if (active) await settings.set('providers.active', name);
    this.#made.delete(name);
  }

  /** Throws `conflict` where the name is taken, and `bad_input` for what does not fit. */
  async add({ name, type, baseUrl, apiKey = '', model, active }: Parsed<'provider.add'>): Promise<void> {
    const { settings } = this.#ports;
    if (name === DEMO || providerNames(settings.providers).includes(name))
      throw new TriadError('conflict', `There is a provider "${name}" already: take another name, or change that one`);
    const key = cleanKey(apiKey);
    await settings.setProvider(name, { type, base_url: baseUrl });
    if (model !== undefined) await settings.set(`providers.${name}.defaults.model`, model);
    // One that was kept for a provider of that name which is gone is not for this one.
    await this.#keys.keep(name, key === '' ? null : { apiKey: key, address: addressAt(baseUrl, type) });
    if (active) await settings.set('providers.active', name);
  }

  /** Where it was the active one, `anthropic` is. Throws `bad_input` for one that is not there or cannot go. */
  async remove(name: string): Promise<void> {
    const { settings } = this.#ports;
    if (name === DEMO || BUILTIN.some((one) => one === name))
      throw new TriadError('bad_input', `${name} comes with the program and cannot be removed`);
    this.models.place(name);
    const { active, embeddings } = settings.providers;
    if (active === name) await settings.set('providers.active', null);
    if (embeddings === name) await settings.set('providers.embeddings', null);
    await this.#keys.keep(name, null);
    await settings.setProvider(name, null);
    this.#made.delete(name);
  }

  /**
   * Sends one tiny request with the given type, key, endpoint and model in place of the set ones; nothing is saved. Another
   * endpoint gets the given key only. A failed request is a result. Throws `bad_input` for a malformed key or model.
   */
  async test({ name = this.#real, ...given }: Input<'provider.test'>): Promise<Output<'provider.test'>> {
    const place = this.#placeToTest(name, given);
    const { address, type, baseUrl } = place;
    // What is kept goes by where the provider is, not by what is tried.
    const own = given.type === undefined ? this.models.place(name) : null;
    const known = own === null ? null : await this.#keys.keyFor(own, address);
    const apiKey = given.apiKey === undefined ? known?.apiKey : cleanKey(given.apiKey);
    if (!apiKey && !place.isLocal) {
      const elsewhere = given.apiKey === undefined && own ? await this.#keys.elsewhere(own, address) : null;
      const message = elsewhere === null ? 'There is no key to test: enter one' : keyElsewhereSentence(elsewhere);
      return { ok: false, code: 'no_key', message, model: null, models: [], durationMs: 0 };
    }
    return testEndpoint({
      endpoint: { name, type, baseUrl, apiKey: apiKey || null },
      address,
      model: this.#modelToTest(place, given.model),
      createModel: this.#ports.createModel,
      onModels: (listed) => this.#ports.lists.keep(address, listed),
    });
  }

  /** Asks the provider for the list of its models now, and keeps it; where it gives none, the last one still holds. */
  async listModels(name: string = this.#real): Promise<Output<'provider.models'>> {
    const place = this.models.place(name);
    await this.#asker.ask(place);
    const known = this.#ports.lists.of(place.address);
    const usual = this.models.defaultOf(name);
    const fault = usual === null ? null : this.models.faultOf(usual, name);
    return {
      address: place.address,
      models: known === null ? null : [...known.models],
      at: known?.at ?? null,
      fault: fault?.kind === 'refused' ? fault.what : null,
      unlisted: usual !== null && fault?.kind !== 'refused' && this.models.isUnlisted(usual, name) ? usual : null,
    };
  }

  /** What the settings name for notes, as it is now; null where they name nothing. */
  async embeddings(): Promise<Embeddings | null> {
    const { providers } = this.#ports.settings;
    const provider = providers.embeddings;
    const { model = null, dimensions = null } =
      provider === null ? {} : (providerEntry(providers, provider)?.embeddings ?? {});
    if (provider === null || model === null || dimensions === null) return null;
    const as = JSON.stringify([provider, model, dimensions]);
    if (this.#embeddings?.as !== as) {
      const { createOpenAiEmbeddings } = await import('../openai/embeddings.ts');
      const endpoint = () => this.#endpointOf(this.models.place(provider));
      this.#embeddings = { as, made: createOpenAiEmbeddings({ provider, model, dimensions, endpoint }) };
    }
    return this.#embeddings.made;
  }

  /** Ends what is asked in the background. */
  close(): Promise<void> {
    return this.#asker.close();
  }

  async #stateOf(place: Place): Promise<ProviderState> {
    const { name, type, baseUrl, baseUrlSource, address, isLocal, keyEnv } = place;
    const key = await this.#keys.keyFor(place, address);
    const offered = this.models.offered(name);
    const usual = this.models.defaultOf(name);
    return {
      name,
      type,
      active: name === this.active,
      builtin: BUILTIN.some((one) => one === name),
      ready: key !== null || isLocal,
      keySource: key?.source ?? 'none',
      keyEnv,
      keyElsewhere: key === null ? await this.#keys.elsewhere(place, address) : null,
      baseUrl,
      baseUrlSource,
      address,
      models: offered.map((one) => {
        const { contextWindow: window, vision } = this.models.capabilities(name, one.id);
        return { ...one, window, vision, inputPrice: null };
      }),
      defaultModel:
        usual === null || offered.some(({ alias }) => alias === usual) ? usual : this.models.resolve(place, usual),
      isLocal,
      maxConcurrent: concurrencyAt(place),
    };
  }

  #demoState(): ProviderState {
    return {
      name: DEMO,
      type: DEMO,
      active: this.active === DEMO,
      builtin: true,
      ready: true,
      address: '',
      keySource: 'none',
      keyEnv: null,
      keyElsewhere: null,
      baseUrl: null,
      baseUrlSource: 'default',
      models: [{ alias: DEMO, id: DEMO, window: null, vision: null, inputPrice: 0 }],
      defaultModel: DEMO,
      isLocal: true,
      maxConcurrent: SCRIPTED_CONCURRENCY,
    };
  }

  /** The configured place with what is tried in place of it; a type that is given makes one that need not be there. */
  #placeToTest(name: string, { type, baseUrl }: Pick<Input<'provider.test'>, 'type' | 'baseUrl'>): Place {
    if (type === undefined) {
      const place = this.models.place(name);
      if (baseUrl === undefined) return place;
      const url = baseUrl || null;
      const address = addressAt(url, place.type);
      if (address === place.address) return place;
      return { ...place, baseUrl: url, address, isLocal: url !== null && isLoopback(url) };
    }
    const url = baseUrl || null;
    const like = placeOf(type === 'anthropic' ? 'anthropic' : 'openai', this.#ports.settings, { baseUrl: undefined });
    const entry = { ...like.entry, defaults: { model: null, max_tokens: null }, models: {} };
    const address = addressAt(url, type);
    return { ...like, name, type, entry, baseUrl: url, address, isLocal: url !== null && isLoopback(url) };
  }

  /** Null where none is named, and the first of the list will do. */
  #modelToTest(place: Place, given: string | undefined): string | null {
    const usual = place.type === 'anthropic' ? this.#ports.settings.models.default : null;
    const named = given ?? place.entry.defaults.model ?? usual;
    return named === null ? null : this.models.resolve(place, named);
  }

  /** The key of a place, null where it needs none; undefined where it is missing. */
  async #keyAt(place: Place): Promise<string | null | undefined> {
    return (await this.#keys.keyFor(place, place.address))?.apiKey ?? (place.isLocal ? null : undefined);
  }

  async #create(place: Place): Promise<Model> {
    const { name, type } = place;
    const capabilities = (model: string) => this.models.capabilities(name, model);
    return this.#ports.createModel({ name, type, ...(await this.#endpointOf(place)), capabilities });
  }

  async #endpointOf(place: Place): Promise<{ apiKey: string | null; baseUrl: string | null }> {
    const apiKey = await this.#keyAt(place);
    if (apiKey !== undefined) return { apiKey, baseUrl: place.baseUrl };
    const elsewhere = await this.#keys.elsewhere(place, place.address);
    const variable = `use "triad config key ${place.name} < FILE"${place.keyEnv === null ? '' : `, or set ${place.keyEnv}`}`;
    throw new TriadError(
      'no_key',
      elsewhere === null
        ? `No key for the model provider ${place.name} is set up: enter one in the settings, ${place.keyEnv === null ? 'or ' : ''}${variable}`
        : keyElsewhereSentence(elsewhere),
    );
  }

  /** In which language the demo answers in a conversation from now on. The last conversations are known. */
  speakInDemo(conversationId: string, language: Language = 'en'): void {
    const known = this.#demoLanguages;
    known.delete(conversationId);
    if (language !== 'en') known.set(conversationId, language);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > DEMO_LANGUAGES) known.delete(oldest);
  }

  async #createDemo(conversationId: string): Promise<Model> {
    const { createDemoModel } = await import('../demo.ts');
    return (this.#ports.createDemo ?? createDemoModel)({
      language: () => this.#demoLanguages.get(conversationId) ?? 'en',
    });
  }
}
