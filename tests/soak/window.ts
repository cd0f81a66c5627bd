/** One window of a person: attached to the questions, and to one conversation whose view it keeps. */
import type { AgentEvent } from '#contract/event.ts';
import type { Approval } from '#contract/approval.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Input, MethodName, Output } from '#contract/rpc.ts';
import type { LinkConnection } from '#lib/app/client/connection.ts';
import { attach, reduce, type View } from '#lib/view/reduce.ts';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 40;

export class Window {
  readonly connection: LinkConnection;
  questions: Approval[] = [];
  view: View | null = null;
  readonly #onQuestions: () => void;
  #conversationId: string | null = null;
  #attachment = 0;
  #ends: (() => void)[] = [];

  constructor(connection: LinkConnection, onQuestions: () => void) {
    this.connection = connection;
    this.#onQuestions = onQuestions;
    connection.onOpen(() => this.#attachAll());
  }

  /** Asks until there is an answer: a host may be gone for a moment. Only for what may be asked twice. */
  async ask<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      try {
        return await this.connection.request(method, input);
      } catch (error) {
        if (codeOf(error) !== 'disconnected' || Date.now() > end) throw error;
      }
    }
  }

  /** Shows a conversation from now on. */
  show(conversationId: string): void {
    this.#conversationId = conversationId;
    this.#attachAll();
  }

  /** As a reload does: nothing of the view is kept. */
  reload(): void {
    this.view = null;
    this.#attachAll();
  }

  close(): void {
    this.#attachment += 1;
    this.connection.close();
  }

  #attachAll(): void {
    const attachment = ++this.#attachment;
    for (const end of this.#ends.splice(0)) end();
    // A connection that breaks meanwhile opens again, and all of this happens anew.
    this.#attend(attachment).catch(() => undefined);
    if (this.#conversationId !== null) this.#attach(attachment, this.#conversationId).catch(() => undefined);
  }

  async #attend(attachment: number): Promise<void> {
    const end = await this.connection.subscribe('attention', { canAnswer: true }, ({ questions }) => {
      if (attachment !== this.#attachment) return;
      this.questions = questions;
      this.#onQuestions();
    });
    this.#ends.push(end);
  }

  async #attach(attachment: number, conversationId: string): Promise<void> {
    let early: AgentEvent[] | null = [];
    const end = await this.connection.subscribe('conversation', { conversationId }, (event) => {
      if (attachment !== this.#attachment) return;
      if (early) early.push(event);
      else if (this.view) this.view = reduce(this.view, [event]);
    });
    this.#ends.push(end);
    const snapshot = await this.connection.request('conversation.snapshot', { conversationId });
    if (attachment !== this.#attachment) return;
    this.view = attach(snapshot, early);
    early = null;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
