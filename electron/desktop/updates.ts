/** Updates of the app: looked for where the person lets it, put in place only while nothing works. Knows no Electron. */
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';

export interface UpdateSource {
  /** A version that is newer than this one and no trial; null where there is none. */
  check(): Promise<string | null>;
  /** Fetches what `check` found, and holds it against its checksum. */
  download(): Promise<void>;
  /** Puts in place what was fetched and ends the app; `again`: starts it anew. False where it can't be put there. */
  install(again: boolean): boolean;
  /** Whether it can be put in place at any quit: nobody is asked for a password, and nothing starts again. */
  readonly isQuiet: boolean;
}

export interface UpdatePorts {
  source: UpdateSource;
  /** A verified copy of what happened. */
  backUp: (client: Client) => Promise<void>;
  /** Asks the person; true: to restart now. */
  offer: (version: string) => Promise<boolean>;
  quit: () => void;
  /** For lines without secrets. */
  report: (line: string) => void;
}

/** What a look for updates came to. */
export type Looked = 'off' | 'none' | 'ready' | 'failed';

export class Updates {
  readonly #ports: UpdatePorts;
  #client: Client | null = null;
  /** Workflows at work in this data folder, whichever program does it; null while nobody knows. */
  #running: number | null = null;
  #looking: Promise<Looked> | null = null;
  /** The version that was fetched. */
  #ready: string | null = null;
  #offered: string | null = null;
  #restarts = false;
  #installs = false;

  constructor(ports: UpdatePorts) {
    this.#ports = ports;
  }

  /** What can be put in place; null for nothing. */
  get ready(): string | null {
    return this.#ready;
  }

  /** The runtime from now on; null while there is none. Looks for an update. */
  async follow(client: Client | null): Promise<void> {
    this.#client = client;
    this.#running = null;
    if (client === null) return;
    const following = client.subscribe('attention', { canAnswer: false }, ({ running }) => {
      if (this.#client !== client) return;
      this.#running = running.length;
      // A restart that came to nothing is none any more, and its backup is one of before.
      if (running.length > 0) this.#restarts = this.#installs = false;
      this.#settle();
    });
    await Promise.all([following, this.look()]);
  }

  /** One look at a time. Without the person's leave nothing is asked of anybody. */
  look(): Promise<Looked> {
    this.#looking ??= this.#look().finally(() => (this.#looking = null));
    return this.#looking;
  }

  /** The person says so: never while something works, and not without a backup. */
  async restart(): Promise<void> {
    if (!(await this.#mayInstall())) {
      // Asked again when nothing works.
      this.#offered = null;
      return;
    }
    this.#restarts = this.#installs = true;
    this.#ports.quit();
  }

  /** Before the runtime is closed. */
  async prepareToQuit(): Promise<void> {
    if (this.#restarts || !this.#ports.source.isQuiet) return;
    this.#installs = await this.#mayInstall();
  }

  /** The last that happens; false: nothing is put in place, the app just ends. */
  leave(): boolean {
    return this.#installs && this.#ports.source.install(this.#restarts);
  }

  async #look(): Promise<Looked> {
    const { source } = this.#ports;
    // Nobody can say what the person lets it do.
    if (this.#client === null) return 'failed';
    try {
      if (!(await this.#isWanted())) return 'off';
      if (this.#ready === null) {
        const version = await source.check();
        if (version === null) return 'none';
        await source.download();
        this.#ready = version;
      }
      this.#settle();
      return 'ready';
    } catch (error) {
      this.#failed('No update', error);
      return 'failed';
    }
  }

  async #isWanted(): Promise<boolean> {
    const rows = await this.#client?.request('settings.list', {});
    return rows?.find(({ path }) => path === 'updates.check')?.value === true;
  }

  /** Offers what is ready once nothing works. */
  #settle(): void {
    if (this.#ready === null || this.#running !== 0 || this.#offered === this.#ready) return;
    this.#offered = this.#ready;
    const restarting = this.#ports.offer(this.#ready).then((yes) => (yes ? this.restart() : undefined));
    restarting.catch((error: unknown) => this.#failed('The update was not put in place', error));
  }

  /** Makes the backup; something may have begun meanwhile. */
  async #mayInstall(): Promise<boolean> {
    const client = this.#client;
    if (this.#ready === null || client === null || this.#running !== 0) return false;
    try {
      if (!(await this.#isWanted())) return false;
      await this.#ports.backUp(client);
    } catch (error) {
      this.#failed('The update was not put in place, because there is no backup', error);
      return false;
    }
    return this.#running === 0;
  }

  #failed(what: string, error: unknown): void {
    const [line] = errorInfo(error).message.split('\n');
    this.#ports.report(`${what}: ${line}`);
  }
}
