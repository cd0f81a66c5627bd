/** One prompt of the client, from being sent to the end of its workflow. */
import type { DurableEvent } from '#contract/event.ts';
import type { LeadChoice } from '#contract/messages/sending.ts';
import type { Client, Input, Output } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { newId } from '#core/base/ids.ts';
import type { Message } from './prompt-text.ts';

type End = Extract<DurableEvent, { type: 'workflow-end' }>;
type Cause = NonNullable<Input<'workflow.stop'>['cause']>;

export class Turn {
  readonly #conversationId: string;
  workflowId: string | null = null;
  /** Null where no workflow has begun with it, and none will. */
  readonly ended = Promise.withResolvers<End | null>();
  #stop: Cause | null = null;
  /** What ends it is the end of a workflow: one runs, or is being sent. */
  #isDue = false;

  constructor(conversationId: string) {
    this.#conversationId = conversationId;
    this.ended.promise.catch(() => undefined);
  }

  /** Safe to do again where the owner went in the middle of it: what was stored is found. */
  sender(message: Message, chosen: LeadChoice): (client: Client) => Promise<Output<'message.send'> | null> {
    const sentAs = newId();
    let tried = false;
    this.#isDue = true;
    return async (client) => {
      const conversationId = this.#conversationId;
      if (tried) {
        const { workflows } = await client.request('conversation.snapshot', { conversationId });
        const found = workflows.find((workflow) => workflow.sentAs === sentAs);
        if (found) {
          this.workflowId = found.id;
          await this.goOn(client);
          return null;
        }
      }
      tried = true;
      const images = message.images.length > 0 ? { images: message.images } : {};
      const input = { conversationId, text: message.text, via: 'acp' as const, sentAs, ...images, ...chosen };
      const sent = await client.request('message.send', input);
      this.workflowId = sent.workflowId;
      return sent;
    };
  }

  /** Whoever else went on with it first: it runs. */
  async goOn(client: Client): Promise<void> {
    if (this.workflowId === null) return;
    const { workflowId } = this;
    const { workflow } = await client.request('workflow.get', { workflowId });
    const isInterrupted = workflow.outcome === 'interrupted';
    if (isInterrupted && this.#stop !== null) return;
    this.#isDue = true;
    if (!isInterrupted) return;
    await client.request('workflow.resume', { workflowId, approve: 'ask' }).catch((error: unknown) => {
      if (!(error instanceof TriadError) || error.code !== 'conflict') throw error;
    });
  }

  /** The end comes as an event, where there is something to end; what is still being sent is stopped once it has an id. */
  async stop(client: Client, cause: Cause): Promise<void> {
    this.#stop ??= cause;
    if (!this.#isDue) this.ended.resolve(null);
    await this.stopIfAsked(client);
  }

  async stopIfAsked(client: Client): Promise<void> {
    if (this.#stop === null || this.workflowId === null) return;
    const input = { workflowId: this.workflowId, cause: this.#stop };
    await client.request('workflow.stop', input).catch((error: unknown) => {
      // It has ended already.
      if (!(error instanceof TriadError) || error.code !== 'conflict') throw error;
    });
  }

  get isStopped(): boolean {
    return this.#stop !== null;
  }
}
