/** The settings as they hold in a folder, each saved by itself; why a value was refused shows beside its row. */
import type { ExplainedSetting } from '#contract/settings/setting-methods.ts';
import type { SettingRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

export class SettingsForm {
  rows = $state.raw<readonly ExplainedSetting[]>([]);
  failure = $state.raw<RequestError | null>(null);
  /** Where they hold; empty: in the folder for new conversations. */
  #folder = '';
  #turn = 0;
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async load(folder = this.#folder): Promise<void> {
    this.#folder = folder;
    const turn = ++this.#turn;
    try {
      const rows = await this.#explain(folder);
      if (turn !== this.#turn) return;
      this.rows = rows;
      this.failure = null;
    } catch (error) {
      if (turn === this.#turn) this.failure = asRequestError(error);
    }
  }

  /** A folder that has gone says nothing of them. */
  async #explain(folder: string): Promise<ExplainedSetting[]> {
    const { connection } = this.#app;
    if (folder === '') return connection.request('settings.explain', {});
    return connection.request('settings.explain', { folder }).catch((error: unknown) => {
      if (asRequestError(error).code !== 'bad_input') throw error;
      return connection.request('settings.explain', {});
    });
  }

  /**
   * Saves a value; null restores the default. Returns why it was rejected, as the end of a sentence; empty where it was
   * saved.
   */
  async set(path: string, value: SettingRow['value']): Promise<string> {
    try {
      await this.#app.connection.request('settings.set', { path, value });
    } catch (error) {
      const { message } = asRequestError(error);
      return message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
    }
    // Models and the provider are shown elsewhere too.
    await Promise.all([this.load(), this.#app.load()]);
    return '';
  }
}

/** What the person has set; null for nothing. */
export const ownValue = ({ origin, value }: ExplainedSetting): SettingRow['value'] =>
  origin.from === 'user' ? value : null;

/** Whether something goes before the person's settings, so that a change of them would do nothing here. */
export const isHeld = ({ origin: { from } }: ExplainedSetting): boolean => from === 'environment' || from === 'project';
