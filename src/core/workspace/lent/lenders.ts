/** Who lends something to a conversation now, and the calls to them that are under way: each ends once, whatever becomes of the client. */
import {
  type Lent,
  type LentCall,
  type LentCallName,
  lentCalls,
  type LentInput,
  type LentOutput,
} from '#contract/hosts/lent.ts';
import { TriadError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { orStopped } from '../../base/stop.ts';

type Offer = Pick<Lent, 'files' | 'terminal'>;
type Answer = { ok: true; value: unknown } | { ok: false; message: string };

/** What can be asked of whoever lends. */
export type Kind = 'read' | 'write' | 'terminal';

/** One client that lends. */
export interface Lender {
  /** Aborts when it lends no more. */
  readonly gone: AbortSignal;
  /**
   * Rejects with `bad_request` where the client says that it cannot, with `unreachable` where it answers what does not
   * fit or nothing in time, with `disconnected` where it went before it answered: nobody knows then what it did; and with the signal's reason.
   */
  call<N extends LentCallName>(
    name: N,
    input: LentInput<N>,
    options: { signal: AbortSignal; ms: number },
  ): Promise<LentOutput<N>>;
}

/** What of a conversation's calls goes through a client; asked anew for each use, and then used to its end. */
export type Lending = (kind: Kind) => Lender | null;

interface Listed extends Lender {
  readonly offer: Offer;
}

export class Lenders {
  /** By conversation, the newest last. */
  readonly #lenders = new Map<string, Listed[]>();
  /** Calls that wait, by id. */
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  /** Of several clients with the same conversation the newest is asked. The returned function ends it. */
  lend(conversationId: string, offer: Offer, send: (call: LentCall) => void): () => void {
    const ending = new AbortController();
    const lender: Listed = {
      offer,
      gone: ending.signal,
      call: (name, input, options) => this.#call({ send, gone: ending.signal }, { name, input }, options),
    };
    this.#lenders.set(conversationId, [...(this.#lenders.get(conversationId) ?? []), lender]);
    return () => {
      const left = (this.#lenders.get(conversationId) ?? []).filter((one) => one !== lender);
      if (left.length > 0) this.#lenders.set(conversationId, left);
      else this.#lenders.delete(conversationId);
      ending.abort();
    };
  }

  /** Null where nobody lends that to the conversation. */
  of(conversationId: string, kind: Kind): Lender | null {
    const does = ({ files, terminal }: Offer): boolean => (kind === 'terminal' ? terminal : files[kind]);
    return this.#lenders.get(conversationId)?.findLast(({ offer }) => does(offer)) ?? null;
  }

  /** The client's answer to a call; false where nobody waits for it (any more). */
  answer(id: string, answer: Answer): boolean {
    const take = this.#waiting.get(id);
    this.#waiting.delete(id);
    take?.(answer);
    return take !== undefined;
  }

  async #call<N extends LentCallName>(
    { send, gone }: { send: (call: LentCall) => void; gone: AbortSignal },
    { name, input }: { name: N; input: LentInput<N> },
    { signal, ms }: { signal: AbortSignal; ms: number },
  ): Promise<LentOutput<N>> {
    const id = newId();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const left = (): void => reject(new TriadError('disconnected', `The client went before it had answered (${name})`));
    const late = setTimeout(
      () => reject(new TriadError('unreachable', `The client did not answer within ${ms / 1000} s (${name})`)),
      ms,
    );
    this.#waiting.set(id, resolve);
    gone.addEventListener('abort', left, { once: true });
    try {
      if (gone.aborted) left();
      // The name determines the input.
      else send({ id, name, input } as LentCall);
      const answer = await orStopped(signal, promise);
      if (!answer.ok) throw new TriadError('bad_request', `The client could not do it (${name}): ${answer.message}`);
      const value = lentCalls[name].output.safeParse(answer.value);
      if (!value.success) throw new TriadError('unreachable', `The client answered what cannot be read (${name})`);
      return value.data as LentOutput<N>;
    } finally {
      this.#waiting.delete(id);
      clearTimeout(late);
      gone.removeEventListener('abort', left);
    }
  }
}
