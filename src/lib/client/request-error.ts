/** An error as it crossed the bridge: a code for the program and a sentence for the person. */
import { text } from '#lib/words/text.ts';

export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** `code` of `ErrorInfo`, or `disconnected` without a connection. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Any thrown value as a `RequestError`; unknown ones get the code `internal`. */
export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  return new RequestError('internal', error instanceof Error ? error.message : String(error));
}

/** Any thrown value in one line. */
export function failureText(error: unknown): string {
  const { code, message } = asRequestError(error);
  return text.said.failure(code, message);
}
