/** Errors of OpenAI-compatible endpoints in all of their dialects, read for `request-failure.ts`. */
import type * as OpenAiSdk from 'openai';
import { FULL_TYPES } from '../context-full.ts';
import { sentenceIn, sentenceInText } from '../error-bodies.ts';
import type { ModelError } from '../model.ts';
import { connectionError, type ErrorResponse, type RequestTarget, responseError } from '../request-failure.ts';
import { textOf, valueAt } from '../wire-values.ts';

/**
 * An error that came in a body or within a stream: OpenAI's `{message, type, code}`, the plain text of Ollama, the
 * number in `code` of vLLM and of gateways.
 */
export function errorIn(raw: unknown): ErrorResponse {
  const { type, code, metadata } = Object(raw) as Record<string, unknown>;
  // Gateways put what the server behind them said beside their own words.
  const behind = sentenceInText(textOf(valueAt(metadata, ['raw'])));
  const own = sentenceIn(raw);
  const status = [code, Number(code), type].find((one) => isStatus(one));
  return {
    status: null,
    // llama.cpp says both, and its number says less.
    type:
      status === undefined || FULL_TYPES.includes(textOf(type))
        ? textOf(code) || textOf(type) || null
        : typeOfStatus(Number(status)),
    said: [own, behind].filter(Boolean).join(': ') || null,
    requestId: null,
    header: () => null,
  };
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 400 && Number(value) < 600;
}

const TYPES: readonly (readonly [number, string])[] = [
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
];

/** The type by which an error without a status of HTTP is classified. */
function typeOfStatus(status: number): string {
  const known = TYPES.find(([one]) => one === status);
  return known?.[1] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** Null for what is no error of the SDK. `hide`: takes the key out of what the endpoint says. */
export function failureOf(
  sdk: typeof OpenAiSdk,
  error: unknown,
  target: RequestTarget,
  hide: (text: string) => string,
): ModelError | null {
  if (error instanceof sdk.APIConnectionError) return connectionError('connect', error.cause, target);
  if (!(error instanceof sdk.APIError)) return null;
  const headers: unknown = error.headers;
  const read = errorIn(error.error);
  return responseError(
    {
      ...read,
      status: typeof error.status === 'number' ? error.status : null,
      said: read.said === null ? null : hide(read.said),
      requestId: error.requestID ?? null,
      header: (name) => (headers instanceof Headers ? headers.get(name) : null),
    },
    target,
  );
}
