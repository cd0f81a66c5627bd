/** The model provider of this installation: key and endpoint from the environment or from what the person set. */
import type { AppState } from '#contract/rpc.ts';
import { TriadError } from './errors.ts';
import type { Model } from './model/model.ts';
import type { Secrets } from './secrets.ts';
import { type Settings, saveSetting } from './settings.ts';

const KEY = 'anthropic.api_key';

export interface ProviderPorts {
  secrets: Secrets;
  settings: Settings;
  configFolder: string;
  /** What the environment says wins over what was set. */
  environment: { apiKey: string | undefined; baseUrl: string | undefined };
  createModel(options: { apiKey: string; baseUrl: string | null }): Model | Promise<Model>;
}

export class Provider {
  readonly name = 'anthropic';
  readonly #ports: ProviderPorts;
  #baseUrl: string | null;
  #model: Promise<Model> | null = null;

  constructor(ports: ProviderPorts) {
    this.#ports = ports;
    this.#baseUrl = ports.settings.providers.anthropic.base_url;
  }

  /** One model port for all runs until the key or the endpoint changes. */
  async model(): Promise<Model> {
    this.#model ??= this.#create();
    try {
      return await this.#model;
    } catch (error) {
      this.#model = null;
      throw error;
    }
  }

  async state(): Promise<AppState['provider']> {
    const { environment, secrets, settings } = this.#ports;
    const keySource = environment.apiKey ? 'environment' : (await secrets.get(KEY)) ? 'file' : 'none';
    return {
      ready: keySource !== 'none',
      keySource,
      baseUrl: environment.baseUrl ?? this.#baseUrl,
      baseUrlSource: environment.baseUrl ? 'environment' : this.#baseUrl ? 'file' : 'default',
      models: Object.entries(settings.models.aliases).map(([alias, id]) => ({ alias, id })),
      defaultModel: settings.models.default,
    };
  }

  /** An empty text removes; what is left out stays. */
  async set({
    apiKey,
    baseUrl,
  }: {
    apiKey?: string | undefined;
    baseUrl?: string | undefined;
  }): Promise<void> {
    if (apiKey !== undefined) {
      const key = apiKey.trim();
      // A key travels in a header: anything else in it is a slip of the clipboard.
      if (!/^[\x21-\x7e]*$/.test(key))
        throw new TriadError(
          'bad_input',
          'The key contains spaces or characters that a key cannot have: copy it again',
        );
      await this.#ports.secrets.set(KEY, key === '' ? null : key);
    }
    if (baseUrl !== undefined) {
      await saveSetting(
        this.#ports.configFolder,
        'providers.anthropic.base_url',
        baseUrl === '' ? null : baseUrl,
      );
      this.#baseUrl = baseUrl === '' ? null : baseUrl;
    }
    this.#model = null;
  }

  async #create(): Promise<Model> {
    const { environment, secrets } = this.#ports;
    const apiKey = environment.apiKey ?? (await secrets.get(KEY));
    if (!apiKey)
      throw new TriadError(
        'no_key',
        'No key for the model provider is set up: enter one in the settings, or set ANTHROPIC_API_KEY',
      );
    return this.#ports.createModel({ apiKey, baseUrl: environment.baseUrl ?? this.#baseUrl });
  }
}
