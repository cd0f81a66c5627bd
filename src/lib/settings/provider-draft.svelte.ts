/** The form of the model provider: tested, then saved; the input stays when either fails. */
import { EndpointUrl } from '#contract/endpoint-url.ts';
import type { ProviderState, ServedType } from '#contract/providers/provider.ts';
import type { Output } from '#contract/rpc.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { asRequestError, RequestError } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';

export type Server = Output<'provider.detect'>[number];
export type TestResult = Output<'provider.test'>;

const ALIASES = ['sonnet', 'haiku', 'opus'] as const;
/** Names for models stand for those of this one. */
const NAMES_MODELS = 'anthropic';

/** What a new one is called that nobody has named, by the name of its server; an address of this machine tells no name. */
function nameFor(server: string, taken: readonly string[]): string {
  const plain = server
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^(?:127(?:\.\d+){3}|localhost|\[::1\])$/, 'local')
    .replace(/[^a-z0-9]+/g, '-');
  const name = plain.replace(/^-+|-+$/g, '').slice(0, 30) || 'provider';
  for (let count = 1; ; count++) {
    const one = count === 1 ? name : `${name}-${count}`;
    if (!taken.includes(one)) return one;
  }
}

export class ProviderDraft {
  /** Of the one that it changes; null for a new one, which will have `newName`. */
  name = $state<string | null>(null);
  newName = $state('');
  type = $state<ServedType>('openai-chat');
  apiKey = $state('');
  baseUrl = $state('');
  /** Empty for the configured one. */
  model = $state('');
  servers = $state.raw<Server[] | null>(null);
  result = $state.raw<TestResult | null>(null);
  failure = $state.raw<RequestError | null>(null);
  /** What has to be entered first; null for nothing that was missed. */
  missing = $state<'apiKey' | 'baseUrl' | null>(null);
  /** The request that runs; null where none does. */
  activity = $state<'test' | 'save' | 'detect' | null>(null);
  saved = $state(false);
  readonly #app: App;

  /** `provider`: the one to change; null for a new one. */
  constructor(app: App, provider: ProviderState | null) {
    this.#app = app;
    this.change(provider);
  }

  /** From now on about this one. */
  change(provider: ProviderState | null): void {
    if (provider === null || provider.type === 'demo') return;
    this.name = provider.name;
    this.type = provider.type;
    this.baseUrl = provider.baseUrl ?? '';
    this.model = provider.name === NAMES_MODELS ? '' : (provider.defaultModel ?? '');
  }

  /** Of the one that it changes, as it is now. */
  get state(): ProviderState | null {
    return this.#app.settings?.providers.find(({ name }) => name === this.name) ?? null;
  }

  /** The model that is written takes the place of all names for models, instead of being the provider's own. */
  get namesModels(): boolean {
    return this.name === NAMES_MODELS;
  }

  /** The servers that were found and can be taken here; null before they were looked for. */
  get offered(): Server[] | null {
    const isFixed = this.name !== null && this.name !== NAMES_MODELS;
    return this.servers?.filter(({ speaks }) => !isFixed || speaks.some(({ type }) => type === this.type)) ?? null;
  }

  /** Ids of the models that the endpoint offers, as far as they are known. */
  get models(): string[] {
    const listed = this.result?.models ?? [];
    if (listed.length > 0) return listed;
    const url = this.baseUrl.trim().replace(/\/+$/, '');
    const server = this.servers?.find(({ speaks }) => speaks.some(({ baseUrl }) => baseUrl === url));
    return server?.models ?? (this.namesModels ? [] : (this.state?.models.map(({ id }) => id) ?? []));
  }

  /** Clears the results of a test or a save, since the input changed. */
  clearResults(): void {
    this.result = null;
    this.failure = null;
    this.missing = null;
    this.saved = false;
  }

  /** Whether something is entered there; where nothing is, its field says so. */
  has(field: 'apiKey' | 'baseUrl'): boolean {
    this.clearResults();
    this.missing = this[field].trim() === '' ? field : null;
    return this.missing === null;
  }

  /** Takes a server by what it speaks; one that speaks something else than the one to change becomes a new one. */
  choose({ name, speaks, models }: Server): void {
    const door = (this.name === null ? null : speaks.find(({ type }) => type === this.type)) ?? speaks[0];
    if (!door) return;
    if (this.name === null || door.type !== this.type) {
      this.name = null;
      this.newName = nameFor(name, this.#app.settings?.providers.map((one) => one.name) ?? []);
    }
    this.type = door.type;
    this.baseUrl = door.baseUrl;
    this.model = models[0] ?? '';
    this.clearResults();
  }

  /** Goes by what the written address speaks, where something answers there. Returns whether it does. */
  async ask(): Promise<boolean> {
    const { baseUrl } = this.#entered();
    if (!baseUrl) return false;
    const [server] = await this.#app.connection.request('provider.detect', { baseUrl });
    const { model } = this;
    const isSpoken = server?.speaks.some((one) => one.type === this.type && this.name !== null);
    if (server && !isSpoken) {
      this.choose(server);
      if (model !== '') this.model = model;
    }
    return server !== undefined;
  }

  /** Goes by what the written address speaks; where nothing answers, the test says so. */
  adapt(): Promise<void> {
    return this.#during('test', async () => void (await this.ask()));
  }

  /** For a new one: looks at the address that is written. */
  look(): Promise<void> {
    return this.#during('detect', async () => {
      if (!(await this.ask())) throw new RequestError('not_found', text.settings.nothingThere);
    });
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
        ...(this.name === null ? { name: this.newName.trim(), type: this.type } : { name: this.name }),
        ...this.#entered(),
        ...(model === '' ? {} : { model }),
      });
    });
    return this.result?.ok === true;
  }

  /** Saves the entered provider, and makes it the active one. Returns whether it was saved; `failure` says why not. */
  async save({ use = true } = {}): Promise<boolean> {
    this.saved = false;
    await this.#during('save', async () => {
      const active = use ? { active: true as const } : {};
      const entered = this.#entered();
      if (this.name === null) await this.#add(entered, active);
      else if (this.namesModels) {
        await this.#nameModels();
        await this.#app.setProvider({ name: this.name, ...entered, ...active });
      } else await this.#app.setProvider({ name: this.name, ...entered, model: this.model.trim(), ...active });
      this.apiKey = '';
      this.saved = true;
    });
    return this.saved;
  }

  async #add({ apiKey, baseUrl }: { apiKey?: string; baseUrl?: string }, active: { active?: true }): Promise<void> {
    const [name, model] = [this.newName.trim(), this.model.trim()];
    if (name === '') throw new RequestError('bad_input', text.settings.needName);
    if (!baseUrl) throw new RequestError('bad_input', text.firstRun.needEndpoint);
    const key = apiKey === undefined ? {} : { apiKey };
    await this.#app.changeProviders('provider.add', {
      name,
      type: this.type,
      baseUrl,
      ...key,
      ...active,
      ...(model === '' ? {} : { model }),
    });
    this.name = name;
  }

  async #nameModels(): Promise<void> {
    const model = this.model.trim();
    if (model === '') return;
    for (const alias of ALIASES)
      await this.#app.connection.request('settings.set', { path: `models.aliases.${alias}`, value: model });
  }

  removeKey(): Promise<void> {
    this.clearResults();
    const { name } = this;
    return this.#during('save', async () => {
      if (name !== null) await this.#app.setProvider({ name, apiKey: '' });
    });
  }

  /** Takes the provider out of the settings, with its key. */
  remove(): Promise<void> {
    this.clearResults();
    const { name } = this;
    return this.#during('save', async () => {
      if (name !== null) await this.#app.changeProviders('provider.remove', { name });
    });
  }

  switchTo(name: string): Promise<void> {
    this.clearResults();
    return this.#during('save', async () => {
      await this.#app.setProvider({ name, active: true });
      this.saved = true;
    });
  }

  /**
   * What was entered, as input of a request: an empty key stays as it is, an endpoint from the environment is left out.
   * Throws a `RequestError` with `bad_input` for an invalid endpoint.
   */
  #entered(): { apiKey?: string; baseUrl?: string } {
    const apiKey = this.apiKey.trim();
    const fixed = this.state?.baseUrlSource === 'environment';
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
