/** The model provider of this installation: the demo, or key and endpoint from the environment or from what the person set. */
import { PROVIDER_CONCURRENCY } from '#contract/limits.ts';
import type { AppState, Output } from '#contract/rpc.ts';
import { TriadError } from '../base/errors.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { Model } from './model.ts';
import { modelIdFor } from './model-names.ts';
import { isLoopback, testEndpoint } from './provider-test.ts';
import { providerTraits } from './provider-traits.ts';
import type { Secrets } from '../settings/secrets.ts';

const KEY = 'anthropic.api_key';
/** Sent to servers of this machine that want no key, because the header must not be empty. */
const NO_KEY = 'none';

export interface ProviderPorts {
  secrets: Secrets;
  settings: LiveSettings;
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

export class Provider {
  readonly #ports: ProviderPorts;
  #demo: Promise<Model> | null = null;
  /** The cached real model; replaced when the key or the endpoint changes. */
  #made: { baseUrl: string | null; model: Promise<Model> } | null = null;

  constructor(ports: ProviderPorts) {
    this.#ports = ports;
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
      return await made.model;
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
    return wanted ?? (this.#isLocal() ? PROVIDER_CONCURRENCY.local : concurrency);
  }

  async state(): Promise<AppState['provider']> {
    const { environment, secrets, settings } = this.#ports;
    const keySource = environment.apiKey ? 'environment' : (await secrets.get(KEY)) ? 'store' : 'none';
    const { base_url: baseUrl } = settings.providers.anthropic;
    const { aliases, default: defaultModel } = settings.models;
    const { isScripted, onlyModel } = providerTraits(this.name);
    return {
      kind: this.name,
      ready: isScripted || keySource !== 'none' || this.#isLocal(),
      keySource,
      baseUrl: environment.baseUrl ?? baseUrl,
      baseUrlSource: environment.baseUrl ? 'environment' : baseUrl ? 'file' : 'default',
      models: Object.entries(onlyModel === null ? aliases : { [onlyModel]: onlyModel }).map(([alias, id]) => ({
        alias,
        id,
      })),
      defaultModel: onlyModel ?? defaultModel,
    };
  }

  /** Changes what is given: an empty text removes it. Throws `bad_input` for a key that no header can carry. */
  async set({ apiKey, baseUrl, kind }: Endpoint & { kind?: AppState['provider']['kind'] | undefined }): Promise<void> {
    const { secrets, settings } = this.#ports;
    if (apiKey !== undefined) await secrets.set(KEY, cleanKey(apiKey) || null);
    if (baseUrl !== undefined) await settings.set('providers.anthropic.base_url', baseUrl || null);
    if (kind !== undefined) await settings.set('providers.active', kind);
    this.#made = null;
  }

  /**
   * Sends one tiny request with the given key, endpoint and model in place of the set ones; nothing is saved. A failed request is a result.
   * Throws `bad_input` for a malformed key or model.
   */
  async test({ apiKey, baseUrl, model }: Endpoint & { model?: string | undefined }): Promise<Output<'provider.test'>> {
    const { models } = this.#ports.settings;
    const url = baseUrl === undefined ? this.#baseUrl() : baseUrl || null;
    const key = apiKey === undefined ? await this.#key() : cleanKey(apiKey);
    if (!key && (url === null || !isLoopback(url)))
      return { ok: false, message: 'There is no key to test: enter one', models: [], durationMs: 0 };
    return testEndpoint({
      apiKey: key || NO_KEY,
      baseUrl: url,
      model: modelIdFor('anthropic', model ?? models.default, models.aliases),
      createModel: this.#ports.createModel,
    });
  }

  #baseUrl(): string | null {
    return this.#ports.environment.baseUrl ?? this.#ports.settings.providers.anthropic.base_url;
  }

  /**
   * Whether the person pointed to a model server on this machine: it needs no key, and does one thing at a time.
   * What the environment names is left as it is: there it is usually a gateway to something larger.
   */
  #isLocal(): boolean {
    const { base_url: baseUrl } = this.#ports.settings.providers.anthropic;
    return this.#ports.environment.baseUrl === undefined && baseUrl !== null && isLoopback(baseUrl);
  }

  async #key(): Promise<string | null> {
    return this.#ports.environment.apiKey ?? (await this.#ports.secrets.get(KEY));
  }

  async #create(baseUrl: string | null): Promise<Model> {
    const apiKey = (await this.#key()) || (this.#isLocal() ? NO_KEY : null);
    if (!apiKey)
      throw new TriadError(
        'no_key',
        'No key for the model provider is set up: enter one in the settings, or set ANTHROPIC_API_KEY',
      );
    return this.#ports.createModel({ apiKey, baseUrl });
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
