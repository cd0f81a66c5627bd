/** Puts the open questions of one conversation to the client while one of its turns runs, and hands back what it says. */
import { type AgentContext, methods, RequestError } from '@agentclientprotocol/sdk';
import { type Answer, type Approval, STOP_OPTION } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo, TriadError } from '#core/base/errors.ts';
import type { Door } from './door.ts';
import { askChoices, askForm } from './person-questions.ts';
import { answerOf, chosenOf, confirmationOf, type Item, requestOf } from './question.ts';

/** A program that answers may never say what fits. */
const MAX_TRIES = 5;

interface Parts {
  context: AgentContext;
  door: Door;
  conversationId: string;
  /** The client has forms. */
  forms: boolean;
  /** Called before the client is asked. */
  asking: (item: Item) => void;
  note: (line: string) => void;
}

export class Asker {
  readonly #parts: Parts;
  /** Turns that run: without one nobody is there who could answer. */
  #turns = 0;
  #leave: (() => void) | null = null;
  readonly #asked = new Map<string, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A turn begins; the returned function ends it. */
  async enter(client: Client): Promise<() => void> {
    this.#turns += 1;
    try {
      if (this.#turns === 1) await this.follow(client);
    } catch (error) {
      this.#turns -= 1;
      throw error;
    }
    return () => {
      this.#turns -= 1;
      if (this.#turns === 0) this.close();
    };
  }

  /** Hears of the questions from this connection from now on. */
  async follow(client: Client): Promise<void> {
    if (this.#turns === 0) return;
    this.#leave?.();
    this.#leave = null;
    const leave = await client.subscribe('attention', { canAnswer: true }, ({ questions }) => this.#update(questions));
    // The turn may have ended meanwhile.
    if (this.#turns === 0) leave();
    else this.#leave = leave;
  }

  close(): void {
    this.#leave?.();
    this.#leave = null;
    this.#update([]);
  }

  #update(questions: readonly Approval[]): void {
    const open = questions
      .filter(({ request }) => request.conversationId === this.#parts.conversationId)
      .flatMap((approval) => approval.decisions.flatMap((one, item) => (one === null ? [{ approval, item }] : [])));
    const keys = new Set(open.map(keyOf));
    for (const [key, controller] of this.#asked) {
      if (keys.has(key)) continue;
      this.#asked.delete(key);
      controller.abort();
    }
    for (const item of open) if (!this.#asked.has(keyOf(item))) void this.#ask(item);
  }

  /** Until there is an answer that fits; what does not fit is said with the next try, the last of which is a no. */
  async #ask(item: Item): Promise<void> {
    const controller = new AbortController();
    this.#asked.set(keyOf(item), controller);
    const { signal } = controller;
    const { request } = item.approval;
    this.#parts.asking(item);
    let told: string | null = null;
    for (let tries = 0; !signal.aborted; tries += 1) {
      const answer: Answer | null =
        tries < MAX_TRIES
          ? await this.#answer(item, told, signal).catch(refusalOf)
          : { kind: 'reject', reason: `No answer of the client fits: ${told}` };
      if (signal.aborted || answer === null) return;
      try {
        const input = { approvalId: request.id, item: item.item, answer };
        await this.#parts.door.ask((client) => client.request('approval.decide', input));
        return;
      } catch (error) {
        const isMisfit = error instanceof TriadError && ['bad_input', 'not_allowed'].includes(error.code);
        told = errorInfo(error).message;
        // Somebody else was first, or nobody waits for it any more.
        if (!isMisfit) return;
        if (answer.kind === 'reject') return this.#parts.note(`triad: ${told}`);
      }
    }
  }

  async #answer(item: Item, told: string | null, signal: AbortSignal): Promise<Answer | null> {
    const { context, forms } = this.#parts;
    const { request } = item.approval;
    if (request.subject.kind === 'questions') {
      const ask = forms ? askForm : askChoices;
      return ask(context, request, request.subject.questions, signal);
    }
    const asking = requestOf(item, told);
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const method = methods.client.session.requestPermission;
    const chosen = chosenOf(asking, await context.request(method, asking, options));
    if (chosen?.optionId === STOP_OPTION) {
      await this.#parts.door.ask((client) => client.request('run.stop', { runId: request.runId }));
      return null;
    }
    const answer = answerOf(item, chosen);
    if (request.reversible || (answer.kind !== 'allow' && answer.kind !== 'edit')) return answer;
    const again = confirmationOf(asking, request);
    const second = chosenOf(again, await context.request(method, again, options));
    return second?.optionId === 'confirm'
      ? { ...answer, confirmed: true }
      : { kind: 'reject', reason: 'It was not confirmed, and cannot be undone' };
  }
}

/** A client that answers with an error, or what is no answer, says no; one that has gone says nothing. */
function refusalOf(error: unknown): Answer | null {
  if (error instanceof TriadError) return { kind: 'reject', reason: error.message };
  if (!(error instanceof RequestError)) return null;
  return { kind: 'reject', reason: `The client could not be asked: ${error.message}` };
}

function keyOf({ approval, item }: Item): string {
  return `${approval.request.id}:${item}`;
}
