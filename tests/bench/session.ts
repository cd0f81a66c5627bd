/** What one run of the benchmark shares: its sizes, its folders, its processes. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationOperations } from './conversation-process.ts';
import { Peer } from './peer.ts';
import type { ServerOperations } from './server-process.ts';
import type { SideOperations } from './side.ts';

export interface Sizes {
  warmUps: number;
  runs: number;
  realisticWarmUps: number;
  realisticRuns: number;
  stops: number;
  /** Back to back, in batches. */
  batches: number;
  batch: number;
  /** No batch begins after this time, in milliseconds: a slow machine does fewer. */
  patienceMs: number;
  /** Sub-agents that are created to time it. */
  creations: number;
  /** Short workflows, of one request each. */
  flood: number;
  burst: number;
  paced: number;
  pacedRuns: number;
  launches: number;
  /** Workflows in the seeded history. */
  history: number;
  /** Events of the seeded long workflow. */
  events: number;
  /** Messages of the conversation that the page scrolls through. */
  messages: number;
  /** How often it scrolls on. */
  scrolls: number;
  /** Of each of the three reports that are written at once. */
  words: number;
  /** Messages of the conversation whose processor time is measured. */
  talk: number;
  /** Messages of the conversation that is also opened, searched and exported. */
  conversation: number;
  /** Files of the tree that is searched. */
  searched: number;
  searches: number;
}

/** Two sides against the same server, taking turns. */
export interface Arena {
  server: Peer<ServerOperations>;
  ours: Peer<SideOperations>;
  floor: Peer<SideOperations>;
  url: string;
}

const here = import.meta.dirname;

export class Session {
  readonly sizes: Sizes;
  readonly #profile: string | null;
  readonly #root: string;
  readonly #open = new Set<{ close(): Promise<void> }>();

  private constructor(sizes: Sizes, profile: string | null, root: string) {
    this.sizes = sizes;
    this.#profile = profile;
    this.#root = root;
  }

  /** `profile`: a folder for CPU profiles of our side. */
  static async start(sizes: Sizes, profile: string | null): Promise<Session> {
    return new Session(sizes, profile, await mkdtemp(join(tmpdir(), 'triad-bench-')));
  }

  async folder(name: string): Promise<string> {
    const folder = join(this.#root, name);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async server(...args: string[]): Promise<Peer<ServerOperations>> {
    return this.#keep(await Peer.start<ServerOperations>(join(here, 'server-process.ts'), args));
  }

  /** Our side in one conversation. */
  async conversation(name: string, url: string): Promise<Peer<ConversationOperations>> {
    const file = join(here, 'conversation-process.ts');
    return this.#keep(await Peer.start<ConversationOperations>(file, [url, await this.folder(name)], ['--expose-gc']));
  }

  /** Our side in a folder. */
  ours(url: string, folder: string): Promise<Peer<SideOperations>> {
    return this.#side(['ours', url, folder], []);
  }

  async arena(name: string, ...serverArgs: string[]): Promise<Arena> {
    const server = await this.server(...serverArgs);
    const url = await server.ask('url');
    const [mine, bare] = [await this.folder(`${name}/ours`), await this.folder(`${name}/floor`)];
    const profiling = this.#profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${this.#profile}/${name}`];
    const ours = await this.#side(['ours', url, mine], profiling);
    const floor = await this.#side(['floor', url, bare], []);
    return { server, ours, floor, url };
  }

  /** Ends the processes that were started since; the next group of figures has the machine for itself. */
  async closeAll(): Promise<void> {
    for (const peer of [...this.#open].reverse()) await peer.close();
    this.#open.clear();
  }

  async end(): Promise<void> {
    await this.closeAll();
    await rm(this.#root, { recursive: true, force: true });
  }

  async #side(args: string[], execArgv: string[]): Promise<Peer<SideOperations>> {
    const file = join(here, 'side-process.ts');
    return this.#keep(await Peer.start<SideOperations>(file, args, ['--expose-gc', ...execArgv]));
  }

  #keep<T extends { close(): Promise<void> }>(peer: T): T {
    this.#open.add(peer);
    return peer;
  }
}

/** Both sides in turn, so many times: A B A B; no more once it is enough. */
export async function inTurn<T>(
  { ours, floor }: Pick<Arena, 'ours' | 'floor'>,
  times: number,
  run: (side: Peer<SideOperations>) => Promise<T>,
  enough: () => boolean = () => false,
): Promise<{ ours: T[]; floor: T[] }> {
  const results: { ours: T[]; floor: T[] } = { ours: [], floor: [] };
  for (let time = 0; time < times && !enough(); time += 1) {
    results.ours.push(await run(ours));
    results.floor.push(await run(floor));
  }
  return results;
}
