/** The settings as they are now: whoever holds this reads the newest values, whoever changes them saves them first. */
import { SerialQueue } from '../base/serial-queue.ts';
import { saveSetting, type Settings, settingsFile } from './settings.ts';

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

  get sessions(): Settings['sessions'] {
    return this.#current.sessions;
  }

  /** Null brings the default back. Saved when it resolves, and read by all that starts from then on. */
  set(path: string, value: string | number | boolean | null): Promise<void> {
    return this.#changes.add(async () => {
      this.#current = await saveSetting(this.#configFolder, path, value);
    });
  }
}
