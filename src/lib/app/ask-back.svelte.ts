/** A question of the person back to the agent that asks for approval, while it is written and sent. */
import { asRequestError, type RequestError } from '#lib/words/request-error.ts';

export class AskBack {
  question = $state('');
  /** Its box is shown. */
  open = $state(false);
  busy = $state(false);
  error: RequestError | null = $state.raw(null);

  /** Clears the box once it was sent; on an error the text stays and `error` says why. */
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
