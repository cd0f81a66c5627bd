/** A message from its first word until the host has it, wherever the person looks meanwhile. */
import { LOOK_AT_ATTACHED } from '#contract/messages/sending-limits.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { App, Sent } from '#lib/app/app.svelte.ts';
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';
import { text } from '#lib/words/text.ts';
import { readDraft, writeDraft } from '#lib/app/message-drafts.ts';
import { sentOf } from '#lib/app/attachments/attachment.ts';
import { Attachments } from './attachments.svelte.ts';
import { Draft } from './draft.svelte.ts';
import type { KeptAttachments } from '#lib/app/attachments/kept-attachments.ts';
import { readFile } from '#lib/app/attachments/read-file.ts';

/** Rejects with what went wrong; then all stays. `goOn`: what is written since belongs to the draft of this key. */
export type Send = (message: string, sent: Sent, goOn: (key: string) => void) => Promise<void>;

type Parts = Pick<App, 'connection' | 'hasMessage' | 'warn'>;

/** What is being sent, by the key of its draft: whoever comes back to its box finds it there; no screen shows it. */
// eslint-disable-next-line svelte/prefer-svelte-reactivity
const underway = new Map<string, Unsent>();

export class Unsent {
  readonly draft: Draft;
  readonly attachments: Attachments;
  sending = $state(false);
  failure = $state.raw<RequestError | null>(null);
  /** Its boxes on the screen. */
  boxes = 0;
  readonly #key: string;
  readonly #app: Parts;

  constructor(key: string, app: Parts, kept: KeptAttachments) {
    this.#key = key;
    this.#app = app;
    this.draft = new Draft(key);
    this.attachments = new Attachments(key, (file) => readFile(file, app.connection), kept);
  }

  static of(key: string, app: Parts, kept: KeptAttachments): Unsent {
    return underway.get(key) ?? new Unsent(key, app, kept);
  }

  get isEmpty(): boolean {
    const { all, reading } = this.attachments;
    return this.draft.text.trim() === '' && all.length === 0 && reading.length === 0;
  }

  /** One try at a time. */
  async submit(send: Send, { model, provider }: LeadChoice): Promise<void> {
    if (this.isEmpty || this.sending) return;
    const { draft, attachments } = this;
    underway.set(this.#key, this);
    this.sending = true;
    this.failure = null;
    const message = draft.take();
    try {
      await attachments.settled;
      // What was refused is still wanted: it is for the person to go on without it.
      if (attachments.failure !== '') return;
      const attached = attachments.all;
      const as = { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
      const ids = attached.map(({ id }) => id);
      const sent = { ...sentOf(attached), ...as, sentAs: draft.sendAs(ids, JSON.stringify(as)) };
      await send(message.trim() === '' ? LOOK_AT_ATTACHED : message, sent, (key) => draft.goOn(key));
      attachments.sent(attached);
      draft.arrived();
    } catch (error) {
      this.failure = asRequestError(error);
      if (this.boxes === 0) this.#app.warn(`${text.chat.notSent}${text.colon} ${this.failure.message}`);
    } finally {
      draft.giveBack();
      this.sending = false;
      underway.delete(this.#key);
    }
  }

  /**
   * Looks whether a try that had no answer had arrived: then nothing of it is to be sent again. `begins`: the conversation
   * has the id of the message, else that of the draft. Returns the conversation where it was told that it had not.
   */
  async look(begins: boolean): Promise<string | null> {
    const last = this.draft.unanswered;
    if (last === null || this.sending) return null;
    const conversationId = begins ? last.id : this.#key;
    await this.attachments.settled;
    if (!(await this.#app.hasMessage(conversationId, last.id))) return null;
    if (this.sending || this.draft.unanswered?.id !== last.id) return null;
    const wasTold = this.failure !== null;
    this.failure = null;
    this.#leave(last.attached);
    this.draft.arrivedAfterAll();
    return wasTold ? conversationId : null;
  }

  /** Another window has the same message, and has perhaps sent it. */
  follow(event: StorageEvent): void {
    const before = this.draft.unanswered;
    this.draft.follow(event);
    if (!this.sending && before !== null && this.draft.unanswered === null) this.#leave(before.attached);
  }

  #leave(attached: readonly string[]): void {
    this.attachments.sent(this.attachments.all.filter(({ id }) => attached.includes(id)));
  }
}

/** Changes what is written and not under way, where no box of it is on the screen. */
export function changeDraft(key: string, change: (draft: string) => string): void {
  const sending = underway.get(key);
  if (sending) sending.draft.write(change(sending.draft.text));
  else writeDraft(key, change(readDraft(key)));
}
