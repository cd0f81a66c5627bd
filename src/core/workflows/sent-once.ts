/** A message that its sender sends once more, because no answer came, begins nothing more. */
import type { Output } from '#contract/rpc.ts';
import { TriadError } from '../base/errors.ts';
import type { Store } from '../store/store.ts';

type Answer = Output<'message.send'>;

interface Message {
  conversationId: string;
  prompt: string;
  /** The id that its sender gives it; without one each sending is another message. */
  sentAs?: string | undefined;
}

export class SentOnce {
  readonly #store: Pick<Store, 'workflowSentAs'>;
  /** What is being sent, by conversation and id. */
  readonly #underway = new Map<string, { prompt: string; answer: Promise<Answer> }>();

  constructor(store: Pick<Store, 'workflowSentAs'>) {
    this.#store = store;
  }

  /** Does `send` for the first one of its id alone; the others get its answer. `conflict` where their words are others. */
  async do({ conversationId, prompt, sentAs }: Message, send: () => Promise<Answer>): Promise<Answer> {
    if (sentAs === undefined) return send();
    const key = `${conversationId} ${sentAs}`;
    const first = this.#underway.get(key);
    if (first) {
      refuseOther(first.prompt, prompt);
      return first.answer;
    }
    const answer = this.#stored({ conversationId, prompt, sentAs }).then((stored) => stored ?? send());
    this.#underway.set(key, { prompt, answer });
    try {
      return await answer;
    } finally {
      this.#underway.delete(key);
    }
  }

  async #stored({ conversationId, prompt, sentAs }: Message & { sentAs: string }): Promise<Answer | null> {
    const row = await this.#store.workflowSentAs(conversationId, sentAs);
    if (!row) return null;
    refuseOther(row.prompt, prompt);
    return { workflowId: row.id, runId: row.runId, queued: row.status === 'pending' };
  }
}

function refuseOther(first: string, prompt: string): void {
  if (first !== prompt) throw new TriadError('conflict', 'Another message was sent with this id');
}
