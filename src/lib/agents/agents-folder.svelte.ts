/** The agents of a workspace folder, kept up to date with the disk, and the files that wait for trust. */
import type { AgentFile, AgentText } from '#contract/agent.ts';
import type { TrustItem } from '#contract/trust.ts';
import type { Input } from '#contract/rpc.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { keepAgentDraft } from './agent-drafts.ts';

type Named = AgentFile & { name: string };

export class AgentsFolder {
  /** Null until they were read. */
  files = $state.raw<AgentFile[] | null>(null);
  /** New and changed files of the folder, which have no effect. */
  waiting = $state.raw<TrustItem[]>([]);
  trusted = $state.raw<TrustItem[]>([]);
  failure = $state.raw<RequestError | null>(null);
  /** Counts how often the files were read; an effect can depend on it. */
  loads = $state(0);
  readonly folder: string;
  readonly connection: Connection;
  readonly #endOnOpen: () => void;
  #unsubscribe: (() => void) | null = null;
  #closed = false;
  #turn = 0;

  constructor(connection: Connection, folder: string) {
    this.connection = connection;
    this.folder = folder;
    this.#endOnOpen = connection.onOpen(() => void this.#open());
    if (connection.status === 'open') void this.#open();
  }

  async load(): Promise<void> {
    const { folder, connection } = this;
    const turn = ++this.#turn;
    try {
      const [files, look] = await Promise.all([
        connection.request('agents.files', { folder }),
        connection.request('trust.look', { folder }),
      ]);
      // Closed, or replaced by a later call.
      if (this.#closed || turn !== this.#turn) return;
      this.files = files;
      this.waiting = look.files.filter(({ state }) => state === 'new' || state === 'changed');
      this.trusted = look.files.filter(({ state }) => state === 'same');
      this.failure = null;
      this.loads += 1;
    } catch (error) {
      this.failure = asRequestError(error);
    }
  }

  /** Those that can be named by others, one for each name, in order of name. */
  get usable(): Named[] {
    const named = (this.files ?? []).flatMap((file) =>
      file.state === 'usable' && file.name !== null ? [{ ...file, name: file.name }] : [],
    );
    return named.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(file: string): AgentFile | null {
    return this.files?.find((one) => one.file === file) ?? null;
  }

  /**
   * Creates an unsaved draft of a new file and resolves with its path. Rejects with a `RequestError`, such as
   * `bad_input`.
   */
  async createDraft({ source, ...draft }: Omit<Input<'agents.draft'>, 'folder'>): Promise<string> {
    const { folder } = this;
    const asked = { folder, source, ...draft };
    const { file, text }: AgentText = await this.connection.request('agents.draft', asked);
    keepAgentDraft({ folder, file, source, text, before: null, prompt: null });
    return file;
  }

  close(): void {
    this.#closed = true;
    this.#endOnOpen();
    this.#unsubscribe?.();
  }

  /** Subscribes before loading, so that no change in between is missed. */
  async #open(): Promise<void> {
    try {
      const { folder } = this;
      const end = await this.connection.subscribe('agents', { folder }, () => void this.load());
      this.#unsubscribe = end;
      if (this.#closed) end();
    } catch (error) {
      this.failure = asRequestError(error);
    }
    await this.load();
  }
}
