/** An error as it crossed the bridge: a code for the program and a sentence for the person. */
import type { Phrase } from '#contract/approvals/phrase.ts';
import { text } from './text.ts';

export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** `code` of `ErrorInfo`, or `disconnected` without a connection. */
  readonly code: string;
  /** The message as keys and values, where the host sends them. */
  readonly says: readonly Phrase[] | undefined;

  constructor(code: string, message: string, says?: readonly Phrase[]) {
    super(message);
    this.code = code;
    this.says = says;
  }
}

/** Any thrown value as a `RequestError`; unknown ones get the code `internal`. */
export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError('internal', error instanceof Error ? error.message : String(error));
}

/** Any thrown value in one line. */
export function failureText(error: unknown): string {
  return text.said.failure(asRequestError(error));
}
