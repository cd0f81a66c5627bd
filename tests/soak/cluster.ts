/** Two real hosts on one data folder, which can be killed and started again while windows are attached to them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Host, startHost } from '../../e2e/support/host.ts';
import { LinkConnection } from '#lib/app/client/connection.ts';
import { SocketLink } from '#lib/app/client/socket-link.ts';
import { TestBrowser } from '../support/test-browser.ts';
import type { Kill } from './plan.ts';

/** Silence after which a run is stopped: some replies hang for ever. */
const SETTINGS = `[limits]\ninactivity_seconds = 4\n\n[limits.run]\nmax_iterations = 6\n`;

interface Place {
  host: Host | null;
  port: number;
  browser: TestBrowser | null;
}

export class Cluster {
  readonly workspace: string;
  readonly #home: string;
  readonly #modelUrl: string;
  readonly #places: [Place, Place] = [
    { host: null, port: 0, browser: null },
    { host: null, port: 0, browser: null },
  ];
  /** Kills and starts are made one after the other. */
  #line: Promise<unknown> = Promise.resolve();
  /** The first that starts owns the store until it dies. */
  #owner: 0 | 1 = 0;
  /** Hosts that were killed so far. */
  kills = 0;

  constructor(folder: string, modelUrl: string) {
    this.workspace = join(folder, 'workspace');
    this.#home = join(folder, 'home');
    this.#modelUrl = modelUrl;
  }

  async start(): Promise<void> {
    await mkdir(this.workspace, { recursive: true });
    await mkdir(this.#home, { recursive: true });
    await writeFile(join(this.workspace, 'README.md'), '# A workspace\n');
    await writeFile(join(this.#home, 'config.toml'), SETTINGS);
    await this.#start(0);
    await this.#start(1);
  }

  /** A window at one of the hosts; it comes back by itself when its host does. */
  window(place: 0 | 1): LinkConnection {
    const { browser } = this.#places[place];
    if (browser === null) throw new Error('The host was not started');
    const visitor = browser.visitor();
    return new LinkConnection(() => new SocketLink(browser.socket(), visitor));
  }

  /** Kills with `-9` and starts again. Where the owner alone dies, the other one takes over. */
  crash(which: Kill): Promise<void> {
    const work = this.#line.then(async () => {
      const other = this.#owner === 0 ? 1 : 0;
      const killed = { owner: [this.#owner], client: [other], both: [this.#owner, other] } as const;
      for (const place of killed[which]) {
        this.kills += 1;
        await this.#places[place].host?.crash();
      }
      if (which === 'owner') this.#owner = other;
      for (const place of killed[which]) await this.#start(place);
    });
    this.#line = work.catch(() => undefined);
    return work;
  }

  async stop(): Promise<void> {
    await this.#line;
    for (const { host } of this.#places) await host?.stop();
  }

  async #start(index: 0 | 1): Promise<void> {
    const place = this.#places[index];
    const env = { ANTHROPIC_API_KEY: 'soak-key', ANTHROPIC_BASE_URL: this.#modelUrl };
    const host = await startHost({ home: this.#home, workspace: this.workspace, port: place.port, env });
    place.host = host;
    if (place.browser !== null) return;
    place.port = host.port;
    place.browser = await TestBrowser.signedIn(host.url);
  }
}
