/** Updates of the app: looked for where the person lets it, put in place only while nothing works. Knows no Electron. */
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import type { UpdateSource } from './update-source.ts';

export interface UpdatePorts {
  source: UpdateSource;
  /** A verified copy of what happened. */
  backUp: (client: Client) => Promise<void>;
  /** Asks the person; true: to restart now. */
  offer: (version: string) => Promise<boolean>;
  quit: () => void;
  /** Tells the person why a restart that they asked for came to nothing; `reason`: one line, may be empty. */
  refused: (why: NoRestart, reason: string) => void;
  /** For lines without secrets. */
  report: (line: string) => void;
}

/** What a look for updates came to. */
export type Looked = 'off' | 'none' | 'ready' | 'failed';

/** Why there is no restart: something works, or nobody knows; it is turned off, there is no backup, it could not be put in place. */
type NoRestart = 'busy' | 'off' | 'backup' | 'install';

export class Updates {
  readonly #ports: UpdatePorts;
  #client: Client | null = null;
  /** Workflows at work in this data folder, whichever program does it; null while nobody knows. */
  #running: number | null = null;
  #looking: Promise<Looked> | null = null;
  #restarting: Promise<void> | null = null;
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

  /** The person says so: never while something works, and not without a backup. One at a time; what it fails by is told. */
  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = null));
    return this.#restarting;
  }

  async #restart(): Promise<void> {
    // Where the app is on its way out, or the person stayed and asks again, the backup is as good as then.
    const refused = this.#restarts ? null : await this.#refusal();
    if (refused) {
      this.#offered = null; // Asked again when nothing works.
      return this.#ports.refused(...refused);
    }
    this.#restarts = this.#installs = true;
    this.#ports.quit();
  }

  /** Before the runtime is closed. */
  async prepareToQuit(): Promise<void> {
    if (this.#restarts || !this.#ports.source.isQuiet) return;
    this.#installs = (await this.#refusal()) === null;
  }

  /** The last that happens; false: nothing is put in place, the app just ends. */
  leave(): boolean {
    if (!this.#installs) return false;
    const isLeft = this.#ports.source.install(this.#restarts);
    if (!isLeft && this.#restarts) this.#ports.refused('install', '');
    return isLeft;
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
    restarting.catch((error: unknown) => void this.#failed('The update was not put in place', error));
  }

  /** Makes the backup; something may have begun meanwhile. Null where it can be put in place. */
  async #refusal(): Promise<[NoRestart, string] | null> {
    const client = this.#client;
    if (this.#ready === null || client === null || this.#running !== 0) return ['busy', ''];
    try {
      if (!(await this.#isWanted())) return ['off', ''];
      await this.#ports.backUp(client);
    } catch (error) {
      return ['backup', this.#failed('The update was not put in place, because there is no backup', error)];
    }
    return this.#running === 0 ? null : ['busy', ''];
  }

  #failed(what: string, error: unknown): string {
    const [line = ''] = errorInfo(error).message.split('\n');
    this.#ports.report(`${what}: ${line}`);
    return line;
  }
}
