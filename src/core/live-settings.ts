/** The settings as they are now: whoever holds this reads the newest values, whoever changes them saves them first. */
import { saveSetting, type Settings } from './settings.ts';

export class LiveSettings implements Settings {
  readonly #configFolder: string;
  #current: Settings;
  #last: Promise<unknown> = Promise.resolve();

  /** `initial` is what the folder's file says. */
  constructor(configFolder: string, initial: Settings) {
    this.#configFolder = configFolder;
    this.#current = initial;
  }

  get models(): Settings['models'] {
    return this.#current.models;
  }

  get limits(): Settings['limits'] {
    return this.#current.limits;
  }

  get providers(): Settings['providers'] {
    return this.#current.providers;
  }

  /** Null brings the default back. Saved when it resolves, and read by all that starts from then on. */
  set(path: string, value: string | number | boolean | null): Promise<void> {
    const saved = this.#last.then(async () => {
      this.#current = await saveSetting(this.#configFolder, path, value);
    });
    this.#last = saved.catch(() => undefined);
    return saved;
  }
}
