/** What the project tells the lead of a conversation, read while somebody looks at it. */
import type { ProjectInstruction } from '#contract/agent.ts';
import { isInstructionPath } from '#contract/instruction-path.ts';
import type { ConversationRow } from '#contract/view.ts';
import type { Connection } from '#lib/app/client/connection.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

type Place = Pick<ConversationRow, 'folder' | 'agent'>;

export class Context {
  open = $state(false);
  /** As the next message has them, nearest first; null until they were read. */
  told = $state.raw<readonly ProjectInstruction[] | null>(null);
  /** Paths of those that nobody is told before they are trusted. */
  waiting = $state.raw<readonly string[]>([]);
  failure = $state.raw<RequestError | null>(null);
  readonly #connection: Connection;
  /** Of the one look that goes on; null while it is closed. */
  #end: (() => void) | null = null;
  #turn = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** From now on it is as the files are. */
  async show({ folder, agent }: Place): Promise<void> {
    this.close();
    this.open = true;
    const turn = this.#turn;
    const load = (): void => void this.#load({ folder, agent }, turn);
    try {
      // Before it is read, so that no change in between is missed.
      const end = await this.#connection.subscribe('agents', { folder }, load);
      if (turn === this.#turn) this.#end = end;
      else end();
    } catch (error) {
      if (turn === this.#turn) this.failure = asRequestError(error);
    }
    await this.#load({ folder, agent }, turn);
  }

  close(): void {
    this.#turn += 1;
    this.open = false;
    this.#end?.();
    this.#end = null;
  }

  async #load({ folder, agent }: Place, turn: number): Promise<void> {
    try {
      const [{ envelope }, { files }] = await Promise.all([
        this.#connection.request('agents.preview', { folder, agent }),
        this.#connection.request('trust.look', { folder }),
      ]);
      if (turn !== this.#turn) return;
      this.told = envelope.instructions ?? [];
      this.waiting = files
        .filter(({ path, state }) => isInstructionPath(path) && (state === 'new' || state === 'changed'))
        .map(({ path }) => path);
      this.failure = null;
    } catch (error) {
      if (turn === this.#turn) this.failure = asRequestError(error);
    }
  }
}
