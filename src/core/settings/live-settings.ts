/** The current settings: reads give the newest values, and a change is saved to the file before it takes effect. */
import { SerialQueue } from '../base/serial-queue.ts';
import { settingsFile } from './guarded-files.ts';
import { saveSetting, type Settings } from './settings.ts';

export class LiveSettings implements Settings {
  readonly #configFolder: string;
  #current: Settings;
  readonly #changes = new SerialQueue();

  /** `initial` is what the folder's file says. */
  constructor(configFolder: string, initial: Settings) {
    this.#configFolder = configFolder;
    this.#current = initial;
  }

  get file(): string {
    return settingsFile(this.#configFolder);
  }

  get models(): Settings['models'] {
    return this.#current.models;
  }

  get limits(): Settings['limits'] {
    return this.#current.limits;
  }

  get permissions(): Settings['permissions'] {
    return this.#current.permissions;
  }

  get approvals(): Settings['approvals'] {
    return this.#current.approvals;
  }

  get providers(): Settings['providers'] {
    return this.#current.providers;
  }

  get web(): Settings['web'] {
    return this.#current.web;
  }

  get backups(): Settings['backups'] {
    return this.#current.backups;
  }

  get sessions(): Settings['sessions'] {
    return this.#current.sessions;
  }

  /** Saves a key and applies it; null brings the default back. Throws like `saveSetting`. */
  set(path: string, value: string | number | boolean | null): Promise<void> {
    return this.#changes.add(async () => {
      this.#current = await saveSetting(this.#configFolder, path, value);
    });
  }
}
