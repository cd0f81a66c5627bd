/** The list of what the word at the cursor can become: one search at a time, the newest word next. */
import type { AgentSummary } from '#contract/agent.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { type Command, commandsFor, mentions, type ServerPrompt, serversBy, type Suggestion } from './suggestions.ts';
import { type Word, wordAt } from './word.ts';

export interface Place {
  /** Undefined: the folder for new conversations. */
  folder: string | undefined;
  /** Who leads there. */
  agent: string;
  commands: readonly Command[];
}

const SHOWN = 12;

export class Completion {
  word = $state.raw<Word | null>(null);
  suggestions = $state.raw<readonly Suggestion[]>([]);
  active = $state(0);
  /** There is more than is shown. */
  more = $state(false);
  busy = $state(false);
  /** Of the folder, once somebody is about to write. */
  agents = $state.raw<readonly AgentSummary[]>([]);
  readonly #connection: Connection;
  readonly #place: () => Place;
  readonly #asker = crypto.randomUUID();
  #prompts: ServerPrompt[] = [];
  #idle: string[] = [];
  /** The folder of which agents and servers were read. */
  #known: { agents: string | null; servers: string | null } = { agents: null, servers: null };
  /** The word that was left by Escape: it stays left until another one begins. */
  #left: number | null = null;
  #searching = false;
  /** The search that goes on was ended: what it gives says nothing. */
  #ended = false;
  /** As they were last found. */
  #paths: readonly string[] = [];

  constructor(connection: Connection, place: () => Place) {
    this.#connection = connection;
    this.#place = place;
  }

  get open(): boolean {
    return this.word !== null;
  }

  get chosen(): Suggestion | null {
    return this.suggestions[this.active] ?? null;
  }

  /** After each change of the text or the cursor. */
  look(text: string, caret: number): void {
    const word = wordAt(text, caret);
    if (word === null || word.start !== this.#left) this.#left = null;
    if (word === null || this.#left !== null) return this.#forget();
    const begins = this.word?.kind !== word.kind || this.word.start !== word.start;
    if (!begins && this.word?.query === word.query) {
      this.word = word;
      return;
    }
    this.word = word;
    this.active = 0;
    if (begins) this.#begin(word.kind);
    if (word.kind === 'command') return this.#showCommands();
    if (begins) this.suggestions = [];
    void this.#search();
  }

  /** Leaves this word alone. */
  leave(): void {
    this.#left = this.word?.start ?? null;
    this.#forget();
  }

  /** What was typed is done with. */
  end(): void {
    this.#left = null;
    this.#forget();
  }

  move(by: 1 | -1): void {
    const { length } = this.suggestions;
    if (length > 0) this.active = (this.active + by + length) % length;
  }

  /** Reads the agents of the folder, where they are not known. */
  meet(): void {
    const { folder = '' } = this.#place();
    if (this.#known.agents !== folder) void this.#readAgents(folder);
  }

  /** Starts servers of which the prompts are not known, and asks all that run. Rejects with why one did not answer. */
  async ask(servers: readonly string[]): Promise<void> {
    const { folder } = this.#place();
    this.busy = true;
    try {
      const tests = servers.map((name) => this.#connection.request('mcp.test', { folder, name }));
      for (const { server, prompts, error } of await Promise.all(tests)) {
        this.#idle = this.#idle.filter((name) => name !== server.name);
        const others = this.#prompts.filter((one) => one.server !== server.name);
        this.#prompts = [...others, ...prompts.map((prompt) => ({ server: server.name, prompt }))];
        if (error !== null) throw new Error(error);
      }
    } finally {
      this.busy = false;
      this.#showCommands();
    }
  }

  #forget(): void {
    if (this.word === null) return;
    this.word = null;
    this.suggestions = [];
    this.more = false;
    this.busy = false;
    if (!this.#searching) return;
    this.#ended = true;
    const ending = this.#connection.request('file.find', { text: null, asker: this.#asker });
    ending.catch(() => undefined);
  }

  #begin(kind: Word['kind']): void {
    const { folder = '' } = this.#place();
    if (kind === 'mention') this.meet();
    if (kind === 'command' && this.#known.servers !== folder) void this.#readServers(folder);
  }

  /** Without them files are found all the same. */
  async #readAgents(folder: string): Promise<void> {
    this.#known.agents = folder;
    const input = folder === '' ? {} : { folder };
    const agents = await this.#connection.request('agents.list', input).catch(() => null);
    if (this.#known.agents !== folder) return;
    // Asked again next time.
    if (agents === null) this.#known.agents = null;
    this.agents = agents ?? [];
    if (this.word?.kind === 'mention') this.suggestions = mentions(this.word.query, this.#paths, this.agents);
  }

  async #readServers(folder: string): Promise<void> {
    this.#known.servers = folder;
    const input = folder === '' ? {} : { folder };
    const { running, idle } = serversBy(await this.#connection.request('mcp.list', input).catch(() => []));
    this.#prompts = [];
    this.#idle = idle;
    if (running.length > 0) await this.ask(running).catch(() => undefined);
    else this.#showCommands();
  }

  #showCommands(): void {
    if (this.word?.kind !== 'command') return;
    this.suggestions = commandsFor(this.word.query, this.#place().commands, this.#prompts, this.#idle);
    this.active = Math.min(this.active, Math.max(0, this.suggestions.length - 1));
  }

  async #search(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    this.busy = true;
    try {
      for (let word = this.word; word?.kind === 'mention';) {
        const { folder, agent } = this.#place();
        const input = { ...(folder === undefined ? {} : { folder }), agent, text: word.query, limit: SHOWN };
        const { paths, more } = await this.#connection
          .request('file.find', { ...input, asker: this.#asker })
          .catch(() => ({ paths: [], more: false }));
        const now: Word | null = this.word;
        if (now?.kind !== 'mention') return;
        if (now.query === word.query && !this.#ended) {
          this.#paths = paths;
          this.suggestions = mentions(now.query, paths, this.agents);
          this.more = more;
          return;
        }
        this.#ended = false;
        word = now;
      }
    } finally {
      this.#searching = false;
      this.#ended = false;
      this.busy = false;
    }
  }
}
