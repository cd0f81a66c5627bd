/** The form of the model provider: tested, then saved; the input stays when either fails. */
import { EndpointUrl } from '#contract/endpoint-url.ts';
import type { Output } from '#contract/rpc.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { asRequestError, RequestError } from '#lib/client/request-error.ts';
import { text } from '#lib/words/text.ts';

export type Server = Output<'provider.detect'>[number];
export type TestResult = Output<'provider.test'>;

const ALIASES = ['sonnet', 'haiku', 'opus'] as const;

export class ProviderDraft {
  apiKey = $state('');
  baseUrl = $state('');
  /** Empty for the configured one. */
  model = $state('');
  servers = $state.raw<Server[] | null>(null);
  result = $state.raw<TestResult | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** The request that runs; null where none does. */
  activity = $state<'test' | 'save' | 'detect' | null>(null);
  saved = $state(false);
  readonly #app: App;

  constructor(app: App, baseUrl: string) {
    this.#app = app;
    this.baseUrl = baseUrl;
  }

  /** Ids of the models that the endpoint offers, as far as they are known. */
  get models(): string[] {
    const listed = this.result?.models ?? [];
    if (listed.length > 0) return listed;
    const url = this.baseUrl.trim().replace(/\/+$/, '');
    return this.servers?.find((server) => server.baseUrl === url)?.models ?? [];
  }

  /** Clears the results of a test or a save, since the input changed. */
  clearResults(): void {
    this.result = null;
    this.failure = null;
    this.saved = false;
  }

  choose({ baseUrl, models }: Server): void {
    this.baseUrl = baseUrl;
    this.model = models[0] ?? '';
    this.clearResults();
  }

  detect(): Promise<void> {
    return this.#during('detect', async () => {
      this.servers = await this.#app.connection.request('provider.detect', {});
    });
  }

  /** Tests the entered provider. Returns whether it works; `result` or `failure` says why not. */
  async test(): Promise<boolean> {
    this.clearResults();
    await this.#during('test', async () => {
      const model = this.model.trim();
      this.result = await this.#app.connection.request('provider.test', {
        ...this.#entered(),
        ...(model === '' ? {} : { model }),
      });
    });
    return this.result?.ok === true;
  }

  /** Saves the entered provider and makes it the active one. Returns whether it was saved; `failure` says why not. */
  async save(): Promise<boolean> {
    this.saved = false;
    await this.#during('save', async () => {
      const model = this.model.trim();
      const entered = this.#entered();
      if (model !== '')
        for (const alias of ALIASES)
          await this.#app.connection.request('settings.set', {
            path: `models.aliases.${alias}`,
            value: model,
          });
      await this.#app.setProvider({ ...entered, kind: 'anthropic' });
      this.apiKey = '';
      this.saved = true;
    });
    return this.saved;
  }

  removeKey(): Promise<void> {
    this.clearResults();
    return this.#during('save', () => this.#app.setProvider({ apiKey: '' }));
  }

  switchTo(kind: 'demo'): Promise<void> {
    this.clearResults();
    return this.#during('save', async () => {
      await this.#app.setProvider({ kind });
      this.saved = true;
    });
  }

  /**
   * What was entered, as input of a request: an empty key stays as it is, an endpoint from the environment is left out.
   * Throws a `RequestError` with `bad_input` for an invalid endpoint.
   */
  #entered(): { apiKey?: string; baseUrl?: string } {
    const apiKey = this.apiKey.trim();
    const fixed = this.#app.settings?.provider.baseUrlSource === 'environment';
    const baseUrl = this.baseUrl.trim();
    const problem = fixed || baseUrl === '' ? undefined : EndpointUrl.safeParse(baseUrl).error?.issues[0];
    if (problem) throw new RequestError('bad_input', text.settings.badEndpoint(problem.message));
    return { ...(apiKey === '' ? {} : { apiKey }), ...(fixed ? {} : { baseUrl }) };
  }

  async #during(activity: 'test' | 'save' | 'detect', work: () => Promise<void>): Promise<void> {
    this.activity = activity;
    this.failure = null;
    try {
      await work();
    } catch (error) {
      this.failure = asRequestError(error);
    } finally {
      this.activity = null;
    }
  }
}
