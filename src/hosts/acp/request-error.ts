/** Failures of the runtime as errors of the protocol: one sentence, and the code in `data`. */
import { RequestError } from '@agentclientprotocol/sdk';
import { errorInfo } from '#core/base/errors.ts';

export function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message } = errorInfo(error);
  const data = { code };
  switch (code) {
    case 'no_key':
    case 'auth':
      return RequestError.authRequired(data, message);
    case 'not_found':
      return new RequestError(-32002, message, data);
    case 'bad_input':
    case 'conflict':
    case 'not_allowed':
      return RequestError.invalidParams(data, message);
    default:
      return RequestError.internalError(data, message);
  }
}
