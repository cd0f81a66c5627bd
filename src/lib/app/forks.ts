/** Goes on from a message in a new conversation, which ends before it or with what was answered to it. */
import type { Client, Input } from '#contract/rpc.ts';
import type { SentImage } from '#contract/messages/sending.ts';
import type { ForkEnd, Step } from '#contract/messages/fork.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { newMessageId } from '#lib/client/message-id.ts';
import { failureText } from '#lib/client/request-error.ts';
import { sentLanguage } from '#lib/view/language.ts';
import type { Toasts } from '#lib/ui/toasts.ts';
import { text as words } from '#lib/words/text.ts';

type Turn = Pick<WorkflowRow, 'id' | 'conversationId' | 'images' | 'chosen'>;

export class Forks {
  readonly #client: Client;
  readonly #toasts: Toasts;
  readonly #onMade: () => void;

  /** `onMade` is called once there is a new conversation, or it has changed. */
  constructor(client: Client, toasts: Toasts, onMade: () => void) {
    this.#client = client;
    this.#toasts = toasts;
    this.#onMade = onMade;
  }

  /**
   * The id of the new conversation; null where there is none, and a toast says why. `entry`: the last one of its lead's run
   * that goes along, where not all of them do.
   */
  fork(
    { id: workflowId, conversationId }: Pick<Turn, 'id' | 'conversationId'>,
    end: ForkEnd,
    entry?: number,
  ): Promise<string | null> {
    return this.#make({ conversationId, workflowId, end, ...(entry === undefined ? {} : { entry }) });
  }

  /**
   * Forks at a step of a run. `goOn`: the fork also goes on from there, with what was done until then from the cache of
   * steps; else its history ends there, and nothing starts. The id of it; null where there is none, and a toast says why.
   */
  forkAtStep(
    { conversationId, workflowId }: Pick<RunRow, 'conversationId' | 'workflowId'>,
    { runId, entry }: Step,
    goOn: boolean,
  ): Promise<string | null> {
    return this.#make({ conversationId, workflowId, runId, entry, goOn });
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
   * Sends a text in the place of a message, with its pictures and what was chosen for its lead. Null where there is no
   * fork; `sent` false where there is one, and a toast says why nothing was sent there. `sentAs`: the id of the message.
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

/** The pictures of a message, to be sent once more; undefined for none. Rejects where one of them is not kept any more. */
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
