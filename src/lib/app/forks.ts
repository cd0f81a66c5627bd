/** Forks conversations at a message or a step, and sends a message again in a fork. */
import type { Client, Input } from '#contract/rpc.ts';
import type { SentImage } from '#contract/messages/sending.ts';
import type { ForkEnd, Step } from '#contract/messages/fork.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { newMessageId } from './client/message-id.ts';
import { failureText } from '#lib/words/request-error.ts';
import { sentLanguage } from '#lib/view/language.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text as words } from '#lib/words/text.ts';

type Turn = Pick<WorkflowRow, 'id' | 'conversationId' | 'images' | 'chosen'>;

export class Forks {
  readonly #client: Client;
  readonly #toasts: Toasts;
  readonly #onMade: () => void;

  /** Calls `onMade` when a conversation is created or changed. */
  constructor(client: Client, toasts: Toasts, onMade: () => void) {
    this.#client = client;
    this.#toasts = toasts;
    this.#onMade = onMade;
  }

  /**
   * Forks at a message. Returns the id of the new conversation; null with a toast on failure. `entry`: last copied entry of
   * the lead's run; left out for all.
   */
  fork(
    { id: workflowId, conversationId }: Pick<Turn, 'id' | 'conversationId'>,
    end: ForkEnd,
    entry?: number,
  ): Promise<string | null> {
    return this.#make({ conversationId, workflowId, end, ...(entry === undefined ? {} : { entry }) });
  }

  /**
   * Forks at a step of a run. `goOn`: the fork also goes on from there; otherwise it ends there, and nothing starts. Returns
   * the id of the new conversation; null with a toast on failure.
   */
  forkAtStep(
    { conversationId, workflowId }: Pick<RunRow, 'conversationId' | 'workflowId'>,
    { runId, entry }: Step,
    goOn: boolean,
  ): Promise<string | null> {
    return this.#make({ conversationId, workflowId, runId, ...(entry !== undefined && { entry }), goOn });
  }

  /** Forks before the start of a sub-agent, which starts again after an approval. Returns the id like `forkAtStep`. */
  runAgain(run: Pick<RunRow, 'id' | 'conversationId' | 'workflowId'>): Promise<string | null> {
    return this.forkAtStep(run, { runId: run.id }, true);
  }

  async #make(asked: Input<'conversation.fork'>): Promise<string | null> {
    try {
      const { id } = await this.#client.request('conversation.fork', asked);
      this.#onMade();
      return id;
    } catch (error) {
      this.#toasts.error(failureText(error));
      return null;
    }
  }

  /**
   * Sends a text instead of a message in a fork, with the pictures and the choices of the message. Returns null if the fork
   * failed. `sent`: false with a toast if only sending failed. `sentAs`: id of the message.
   */
  async resend(turn: Turn, text: string): Promise<{ id: string; sent: boolean; sentAs: string } | null> {
    const sentAs = newMessageId();
    const id = await this.fork(turn, 'before');
    if (id === null) return null;
    try {
      const images = await imagesOf(this.#client, turn);
      const chosen = turn.chosen ?? {};
      await this.#client.request('message.send', {
        conversationId: id,
        text,
        via: 'app',
        sentAs,
        ...sentLanguage(),
        ...chosen,
        ...(images && { images }),
      });
      this.#onMade();
      return { id, sent: true, sentAs };
    } catch (error) {
      this.#toasts.error(words.turn.notSent(failureText(error)));
      return { id, sent: false, sentAs };
    }
  }
}

/** Returns the pictures of a message for sending them again; undefined for none. Rejects if one is no longer stored. */
export async function imagesOf(
  client: Client,
  { conversationId, images }: Pick<WorkflowRow, 'conversationId' | 'images'>,
): Promise<SentImage[] | undefined> {
  const again = images?.map(async ({ sha256, mediaType }) => {
    const { data } = await client.request('call.image', { conversationId, sha256 });
    return { mediaType, data };
  });
  return again && Promise.all(again);
}
