/** The settings as rows, each saved by itself; the reason of a rejected value shows beside its row. */
import type { SettingRow } from '#contract/view.ts';
import type { App } from '#lib/app/app.svelte.ts';
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

export class SettingsForm {
  rows = $state.raw<SettingRow[]>([]);
  failure = $state.raw<RequestError | null>(null);
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async load(): Promise<void> {
    try {
      this.rows = await this.#app.connection.request('settings.list', {});
      this.failure = null;
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  /**
   * Saves a value; null restores the default. Returns why it was rejected, as the end of a sentence; empty where it was
   * saved.
   */
  async set(path: string, value: SettingRow['value']): Promise<string> {
    try {
      this.rows = await this.#app.connection.request('settings.set', { path, value });
      // Models and the provider are shown elsewhere too.
      await this.#app.load();
      return '';
    } catch (error) {
      const { message } = asRequestError(error);
      return message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
    }
  }
}
