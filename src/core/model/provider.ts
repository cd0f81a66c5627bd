/** The model provider of this installation: the demo, or key and endpoint from the environment or from what the person set. */
import { PROVIDER_CONCURRENCY } from '#contract/limits.ts';
import type { AppState } from '#contract/app-state.ts';
import type { Output } from '#contract/rpc.ts';
import { TriadError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import { addressOf, bindOldKey, keepKey, keptKey } from './kept-key.ts';
import type { Model } from './model.ts';
import { askForModels, type ModelLists } from './model-lists.ts';
import { ModelRules } from './model-rules.ts';
import { resolveModel } from './model-names.ts';
import { testEndpoint } from './provider-test.ts';
import { providerTraits } from './provider-traits.ts';
import type { Secrets } from '../settings/secrets.ts';

/** Sent to servers of this machine that want no key, because the header must not be empty. */
const NO_KEY = 'none';

/** How old the list of an endpoint's models may be when work starts, in milliseconds; on this machine they come and go. */
const LIST_AGE_MS = { local: 600_000, other: 86_400_000 };
/** How long an endpoint has to give it, in milliseconds. */
const LIST_PATIENCE_MS = 3000;

export interface ProviderPorts {
  secrets: Secrets;
  settings: LiveSettings;
  lists: ModelLists;
  /** What the environment says wins over what was set. */
  environment: { apiKey: string | undefined; baseUrl: string | undefined };
  createModel: (options: { apiKey: string; baseUrl: string | null }) => Model | Promise<Model>;
  /** Default: the demo at its usual pace. */
  createDemo?: () => Model;
}

interface Endpoint {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

type KeyElsewhere = NonNullable<AppState['provider']['keyElsewhere']>;

export class Provider {
  /** Which models may be used at the endpoint. */
  readonly models: ModelRules;
  readonly #ports: ProviderPorts;
  #demo: Promise<Model> | null = null;
  /** The cached real model; replaced when the key or the endpoint changes. */
  #made: { baseUrl: string | null; model: Promise<Model> } | null = null;
  /** Ends what is asked in the background. */
  readonly #closing = new AbortController();
  /** The questions for lists that are under way, by address, and those that were answered in this life. */
  readonly #asked = new Map<string, { at: number; answer: Promise<void> }>();

  constructor(ports: ProviderPorts) {
    this.#ports = ports;
    const { settings, lists, environment } = ports;
    this.models = new ModelRules({ settings, lists, baseUrl: environment.baseUrl });
  }

  /** The active provider: the one for runs that start now. */
  get name(): AppState['provider']['kind'] {
    return this.#ports.settings.providers.active;
  }

  /** Where keys are kept. */
  get place(): Secrets['place'] {
    return this.#ports.secrets.place;
  }

  /**
   * The model of a provider, shared by all of its runs. Runs name their own provider, so that one that was approved for a provider
   * is not served by another. Throws `no_key` where no key is set up.
   */
  async model(name: string = this.name): Promise<Model> {
    if (providerTraits(name).isScripted) return (this.#demo ??= this.#createDemo());
    const baseUrl = this.#baseUrl();
    if (this.#made?.baseUrl !== baseUrl) this.#made = { baseUrl, model: this.#create(baseUrl) };
    const made = this.#made;
    try {
      const model = await made.model;
      await this.#renewList(baseUrl);
      return model;
    } catch (error) {
      if (this.#made === made) this.#made = null;
      throw error;
    }
  }

  /** Most concurrent model requests of sub-agents at a provider. */
  concurrency(name: string): number {
    const { isScripted, concurrency } = providerTraits(name);
    if (isScripted) return concurrency;
    const { max_concurrent: wanted } = this.#ports.settings.providers.anthropic;
    return wanted ?? (this.models.isLocal ? PROVIDER_CONCURRENCY.local : concurrency);
  }

  /** To be called once at the start: a key without an address belongs to the endpoint that is configured now. */
  bindOldKey(): Promise<void> {
    return bindOldKey(this.#ports.secrets, addressOf(this.#baseUrl()));
  }

  async state(): Promise<AppState['provider']> {
    const { environment, settings } = this.#ports;
    const key = await this.#keyFor(this.#baseUrl());
    const keySource = key?.source ?? 'none';
    const { base_url: baseUrl } = settings.providers.anthropic;
    const { default: defaultModel } = settings.models;
    const { isScripted, onlyModel } = providerTraits(this.name);
    return {
      kind: this.name,
      ready: isScripted || keySource !== 'none' || this.models.isLocal,
      keySource,
      keyElsewhere: key === null ? await this.#keyElsewhere(this.#baseUrl()) : null,
      baseUrl: environment.baseUrl ?? baseUrl,
      baseUrlSource: environment.baseUrl ? 'environment' : baseUrl ? 'file' : 'default',
      models: onlyModel === null ? this.models.offered() : [{ alias: onlyModel, id: onlyModel }],
      defaultModel: onlyModel ?? defaultModel,
    };
  }

  /**
   * Changes what is given: an empty text removes it. A key is kept for the endpoint that is given with it, else for the
   * current one. Throws `bad_input` for a key that no header can carry, and `no_key` for another endpoint to which the
   * present key may not go.
   */
  async set({ apiKey, baseUrl, kind }: Endpoint & { kind?: AppState['provider']['kind'] | undefined }): Promise<void> {
    const { secrets, settings } = this.#ports;
    const key = apiKey === undefined ? undefined : cleanKey(apiKey);
    const url = baseUrl === undefined ? this.#baseUrl() : baseUrl || null;
    if (addressOf(url) !== addressOf(this.#baseUrl())) await this.#mustMove(url, key);
    if (baseUrl !== undefined) await settings.set('providers.anthropic.base_url', baseUrl || null);
    if (key !== undefined) await keepKey(secrets, key === '' ? null : { apiKey: key, address: addressOf(url) });
    if (kind !== undefined) await settings.set('providers.active', kind);
    this.#made = null;
  }

  /**
   * Sends one tiny request with the given key, endpoint and model in place of the set ones; nothing is saved. Another endpoint gets the
   * given key only. A failed request is a result. Throws `bad_input` for a malformed key or model.
   */
  async test({ apiKey, baseUrl, model }: Endpoint & { model?: string | undefined }): Promise<Output<'provider.test'>> {
    const { models } = this.#ports.settings;
    const url = baseUrl === undefined ? this.#baseUrl() : baseUrl || null;
    const key = apiKey === undefined ? (await this.#keyFor(url))?.apiKey : cleanKey(apiKey);
    const isCurrent = addressOf(url) === addressOf(this.#baseUrl());
    if (!key && !(isCurrent ? this.models.isLocal : url !== null && isLoopback(url))) {
      const elsewhere = apiKey === undefined ? await this.#keyElsewhere(url) : null;
      const message = elsewhere === null ? 'There is no key to test: enter one' : sentenceOf(elsewhere);
      return { ok: false, message, models: [], durationMs: 0 };
    }
    return testEndpoint({
      apiKey: key || NO_KEY,
      baseUrl: url,
      model: resolveModel(model ?? models.default, models.aliases),
      createModel: this.#ports.createModel,
      onModels: (known) => this.#ports.lists.keep(addressOf(url), known),
    });
  }

  /** Asks the endpoint for the list of its models now, and keeps it; where it gives none, the last one still holds. */
  async listModels(): Promise<Output<'provider.models'>> {
    const baseUrl = this.#baseUrl();
    const { lists, settings } = this.#ports;
    await this.#askForList(baseUrl);
    const known = lists.of(addressOf(baseUrl));
    const fault = this.models.faultOf(settings.models.default);
    return {
      address: addressOf(baseUrl),
      models: known === null ? null : [...known.models],
      at: known?.at ?? null,
      fault: fault?.isFatal ? fault.what : null,
    };
  }

  /** Ends what is asked in the background. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#asked.values()].map(({ answer }) => answer));
  }

  #baseUrl(): string | null {
    return this.models.baseUrl;
  }

  /** Work starts: asks for the list where the kept one is old, and for the first one without making the work wait. */
  async #renewList(baseUrl: string | null): Promise<void> {
    const address = addressOf(baseUrl);
    const most = this.models.isLocal ? LIST_AGE_MS.local : LIST_AGE_MS.other;
    const known = this.#ports.lists.of(address);
    const ages = [Date.parse(known?.at ?? ''), this.#asked.get(address)?.at ?? 0].map((at) => Date.now() - at);
    const isNew = ages.some((age) => age < most);
    if (!isNew) this.#asked.set(address, { at: Date.now(), answer: this.#askForList(baseUrl).catch(() => undefined) });
    if (known !== null) await this.#asked.get(address)?.answer;
  }

  /** Asks nothing where a key is missing. Throws where the kept one cannot be read. */
  async #askForList(baseUrl: string | null): Promise<void> {
    const key = (await this.#keyFor(baseUrl))?.apiKey ?? (this.models.isLocal ? NO_KEY : null);
    if (key === null) return;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LIST_PATIENCE_MS)]);
    const { models, isWhole } = await askForModels(addressOf(baseUrl), key, signal);
    if (isWhole) await this.#ports.lists.keep(addressOf(baseUrl), models);
  }

  /**
   * The key that may be sent to this endpoint; null where none may. The one from the environment belongs to the endpoint
   * from there, else to the configured one; a kept one to the address for which it was kept.
   */
  async #keyFor(baseUrl: string | null): Promise<{ apiKey: string; source: 'environment' | 'store' } | null> {
    const { environment, secrets } = this.#ports;
    const address = addressOf(baseUrl);
    if (environment.apiKey && address === addressOf(this.#baseUrl()))
      return { apiKey: environment.apiKey, source: 'environment' };
    const kept = await keptKey(secrets);
    return kept?.address === address ? { apiKey: kept.apiKey, source: 'store' } : null;
  }

  /** What is said of an endpoint that has no key, while there is one for another address; null where there is none. */
  async #keyElsewhere(baseUrl: string | null): Promise<KeyElsewhere | null> {
    const { environment, secrets } = this.#ports;
    const kept = environment.apiKey ? null : await keptKey(secrets);
    const home = environment.apiKey ? addressOf(this.#baseUrl()) : kept?.address;
    if (home === undefined) return null;
    const name = kept === null ? 'ANTHROPIC_API_KEY' : 'The kept key';
    return {
      what: `${name} belongs to ${home} and is not sent to ${addressOf(baseUrl)}`,
      remedy: 'enter the key of this endpoint in the settings, or set the endpoint back',
    };
  }

  /** Throws `no_key` where another endpoint would be without a key, or with that of the environment. */
  async #mustMove(baseUrl: string | null, given: string | undefined): Promise<void> {
    const { apiKey: fromEnvironment, baseUrl: fixed } = this.#ports.environment;
    if (fromEnvironment && fixed === undefined)
      throw new TriadError(
        'no_key',
        `ANTHROPIC_API_KEY would be sent to ${addressOf(baseUrl)}: set ANTHROPIC_BASE_URL beside it, or unset it and enter the key of this endpoint`,
      );
    if (given !== undefined || (baseUrl !== null && isLoopback(baseUrl)) || (await this.#keyFor(baseUrl))) return;
    const elsewhere = await this.#keyElsewhere(baseUrl);
    if (elsewhere !== null) throw new TriadError('no_key', sentenceOf(elsewhere));
  }

  async #create(baseUrl: string | null): Promise<Model> {
    const apiKey = (await this.#keyFor(baseUrl))?.apiKey ?? (this.models.isLocal ? NO_KEY : null);
    if (apiKey !== null) return this.#ports.createModel({ apiKey, baseUrl });
    const elsewhere = await this.#keyElsewhere(baseUrl);
    throw new TriadError(
      'no_key',
      elsewhere === null
        ? 'No key for the model provider is set up: enter one in the settings, or set ANTHROPIC_API_KEY'
        : sentenceOf(elsewhere),
    );
  }

  async #createDemo(): Promise<Model> {
    if (this.#ports.createDemo) return this.#ports.createDemo();
    const { createDemoModel } = await import('./demo.ts');
    return createDemoModel();
  }
}

/** Trims a key. Throws `bad_input` unless it is visible ASCII: it travels in a header. */
function cleanKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new TriadError('bad_input', 'The key contains spaces or characters that a key cannot have: copy it again');
}

function sentenceOf({ what, remedy }: KeyElsewhere): string {
  return `${what}: ${remedy}`;
}
