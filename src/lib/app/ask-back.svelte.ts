/** A question to the agent that asks, as it stands in its box until the agent has it. */
import { asRequestError, type RequestError } from '#lib/client/request-error.ts';

export class AskBack {
  question = $state('');
  busy = $state(false);
  error: RequestError | null = $state.raw(null);

  /** What could not be sent stays in the box. */
  async send(send: (question: string) => Promise<unknown>): Promise<void> {
    this.busy = true;
    this.error = null;
    try {
      await send(this.question);
      this.question = '';
    } catch (error) {
      this.error = asRequestError(error);
    } finally {
      this.busy = false;
    }
  }
}
