/** Classifies failed requests by status, error type and network code (a full context also by words), and says what to do. */
import type { ErrorCode } from '#contract/error.ts';
import { FIRST_ANSWER_TRIES } from '#contract/limits.ts';
import { redact } from '../base/redact.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { FULL_TYPES, saysFull } from './context-full.ts';
import { ModelError } from './model.ts';

/** An answer that is an error, or an error within a stream (`status` null); `said` is the provider's own sentence. */
export interface ErrorResponse {
  status: number | null;
  type: string | null;
  said: string | null;
  requestId: string | null;
  header(name: string): string | null;
}

/** What messages may name: never the key, and only the host of the address. */
export interface RequestTarget {
  host: string;
  model: string;
  /** Whether a key is sent there. */
  hasKey: boolean;
  /** What the endpoint should speak, such as `Messages API`. */
  api: string;
  /** What to do where the address may be wrong. */
  checkUrl: string;
  /** Whether the address has the usual form. */
  isUsual: boolean;
}

/** `ends`: whether addresses of this kind usually end with `/v1`. */
export function urlAdvice(baseUrl: string, { ends }: { ends: boolean }): Pick<RequestTarget, 'checkUrl' | 'isUsual'> {
  const check = 'check the base URL';
  const isUsual = /\/v1\/*$/.test(baseUrl) === ends;
  if (isUsual) return { isUsual, checkUrl: check };
  return { isUsual, checkUrl: ends ? `${check}, which usually ends with /v1` : `${check}, without /v1 at its end` };
}

interface Verdict {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  maxTries: number | null;
}

const MAX_SAID_CHARS = 400;
/** Characters of a server's sentence that are read at all. */
const MAX_READ_CHARS = 4000;

/** Statuses of errors that come within a stream and so have only a type. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 504,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
  // Of OpenAI-compatible endpoints, by the name of a code or of a type.
  invalid_api_key: 401,
  insufficient_quota: 402,
  model_not_found: 404,
  rate_limit_exceeded: 429,
  server_error: 500,
  ...Object.fromEntries(FULL_TYPES.map((type) => [type, 413])),
  ...Object.fromEntries(['invalid_prompt', 'unsupported_value', 'BadRequestError'].map((code) => [code, 400])),
};

/** Types that say more than the status with which they come. */
const FIRST: ReadonlySet<string> = new Set(['insufficient_quota', ...FULL_TYPES]);
const UNKNOWN_MODEL: ReadonlySet<string> = new Set(['not_found_error', 'model_not_found']);

const NETWORK_CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at that address',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'it took too long to connect',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
  UND_ERR_SOCKET: 'the other side closed the connection',
};

/** Longest pause before a request is sent again; a number of any size can be asked for. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1000;

const TOO_LARGE = 413;
const PAYMENT_REQUIRED = 402;

/** Types that are shown; the type is a text of the server. */
const TYPE = /^[\w.:-]{1,80}$/;

export function responseError(response: ErrorResponse, target: RequestTarget): ModelError {
  const { type, said } = response;
  const answer: ErrorResponse = {
    ...response,
    type: type !== null && TYPE.test(type) ? type : null,
    said: said === null ? null : cutAtCodePoint(said, MAX_READ_CHARS),
    header: (name) => response.header(name),
  };
  const status = statusOf(answer);
  const verdict = verdictOf(status, answer, target);
  const detail = [`status ${answer.status ?? 'none'}`, answer.type, answer.requestId].filter(Boolean).join(', ');
  return new ModelError(verdict.code, verdict.message, {
    retryable: verdict.retryable && answer.header('x-should-retry') !== 'false',
    maxTries: verdict.maxTries,
    retryAfterMs: retryAfterMs((name) => answer.header(name)),
    // That a request is too large some servers say with 400.
    status: status === TOO_LARGE ? status : answer.status,
    detail,
  });
}

function statusOf({ status, type, said }: ErrorResponse): number {
  const ofType = Object.hasOwn(STATUS_OF_TYPE, type ?? '') ? STATUS_OF_TYPE[type ?? ''] : undefined;
  const known = (FIRST.has(type ?? '') ? ofType : status) ?? ofType ?? 500;
  if (known === 400 && ABOUT_BILLING.test(said ?? '')) return PAYMENT_REQUIRED;
  return MAY_BE_FULL.has(known) && saysFull(type, said) ? TOO_LARGE : known;
}

/** Statuses with which servers say that the context is full; with others the same words are about something else. */
const MAY_BE_FULL: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** Sentences about the key itself. */
const ABOUT_KEY = /\b(?:(?:x-)?api[-_ ]?key|key|token|credentials?|bearer|unauthenticated|authentication)\b/i;
const ABOUT_PAYMENT = /\b(?:pay|bill|credit|balance|quota|fund|subscri|plan\b)/i;
/** Anthropic asks for payment with the status 400. */
const ABOUT_BILLING = /\bcredit balance\b|\bbilling\b/i;
const ABOUT_RATE = /\b(?:rate|limit|quota|too many|throttl)/i;
const ABOUT_LOAD = /\b(?:overload|capacity|busy)/i;
/** A local server that has been asked for a model that is not in its memory yet. */
const ABOUT_LOADING = /\bload(?:ing|ed)?\b.{0,40}\bmodel\b|\bmodel\b.{0,40}\bload(?:ing|ed)?\b/i;
/** Faults of a server that the same request meets again. */
const ABOUT_LASTING_FAULT =
  /\bout of memory\b|\b(?:insufficient|not enough|requires more)\b.{0,20}\bmemory\b|\b(?:chat )?template\b|\bjinja\b|\broles? must\b|\bdoes not support\b|\bunsupported\b/i;
const ABOUT_MODEL = /\bmodel\b/i;
const ABOUT_PATH = /\b(?:not found|unknown (?:request )?url|no (?:such )?route|cannot post|is not served)\b/i;
const KEY_TYPES: ReadonlySet<string> = new Set(['authentication_error', 'invalid_api_key']);

/** A failed answer with everything that its message may name. */
interface Failure extends RequestTarget {
  status: number;
  /** Empty where the answer has none. */
  type: string;
  said: string;
  /** The status, or the type of an error within a stream. */
  label: string | number;
}

/** The message is `happened`, the server's sentence and `todo`; without a sentence it is `otherwise`. */
interface Explanation {
  code: ErrorCode;
  happened: string;
  todo: string;
  otherwise: string;
  retryable?: true;
  /** Most tries; left out: no limit. */
  maxTries?: number;
}

/** Also shown while the program waits and tries again by itself. */
const AGAIN = 'This may pass after a while.';

/** Explanations by status. They interpret a status only if the type or the sentence supports that. */
const EXPLANATIONS: Readonly<Record<number, (failure: Failure) => Explanation>> = {
  400: explainRefusal,
  422: explainRefusal,
  401: explainKey,
  403: explainPermission,
  404: explainNotFound,
  402: ({ host, label, type, said }) => ({
    code: 'provider',
    happened:
      type === 'billing_error' || type === 'insufficient_quota' || ABOUT_PAYMENT.test(said)
        ? `${host} asks for payment`
        : `${host} refused the request (${label})`,
    todo: 'Check the billing of the account.',
    otherwise: `${host} asks for payment: check the billing of the account`,
    // A payment may take a moment to be seen.
    retryable: true,
    maxTries: FIRST_ANSWER_TRIES,
  }),
  408: explainDelay,
  409: explainDelay,
  [TOO_LARGE]: ({ host }) => ({
    code: 'bad_request',
    happened: `The request is too large for ${host}`,
    todo: 'Start a new conversation or send less text.',
    otherwise: `The request is too large for ${host}: start a new conversation or send less text`,
  }),
  429: ({ host, label, type, said }) => ({
    code: 'rate_limited',
    happened:
      type.startsWith('rate_limit') || ABOUT_RATE.test(said)
        ? `${host} limits the rate of requests`
        : `${host} refused the request for now (${label})`,
    todo: AGAIN,
    otherwise: `${host} limits the rate of requests: this may pass after a while`,
    retryable: true,
  }),
  529: ({ host, label, type, said }) => ({
    code: 'overloaded',
    happened:
      type === 'overloaded_error' || ABOUT_LOAD.test(said)
        ? `${host} is overloaded`
        : `${host} refused the request for now (${label})`,
    todo: AGAIN,
    otherwise: `${host} is overloaded: this may pass after a while`,
    retryable: true,
  }),
};

function verdictOf(status: number, { status: sent, type, said }: ErrorResponse, target: RequestTarget): Verdict {
  const failure: Failure = { ...target, status, type: type ?? '', said: said ?? '', label: sent ?? type ?? 'error' };
  const explain = Object.hasOwn(EXPLANATIONS, status) ? EXPLANATIONS[status]! : explainOther;
  const { code, happened, todo, otherwise, retryable = false, maxTries = null } = explain(failure);
  const sentence = quoted(failure.said);
  return { code, message: sentence === null ? otherwise : `${happened}: ${sentence} ${todo}`, retryable, maxTries };
}

function explainRefusal({ host }: Failure): Explanation {
  return {
    code: 'bad_request',
    happened: `${host} refused the request`,
    todo: 'Correct what it names, then try again.',
    otherwise: `${host} refused the request without a reason: check the model and its settings`,
  };
}

function explainKey({ host, hasKey, label, type, said }: Failure): Explanation {
  const isAboutKey = KEY_TYPES.has(type) || ABOUT_KEY.test(said) || /\bunauthori[sz]ed\b/i.test(said);
  const refused = `${host} refused the request (${label})`;
  if (!hasKey)
    return {
      code: 'auth',
      happened: isAboutKey ? `${host} wants a key` : refused,
      todo: 'No key is set: set one.',
      otherwise: `${host} wants a key, and none is set: set one`,
    };
  return {
    code: 'auth',
    happened: isAboutKey ? `${host} refused the key` : refused,
    todo: 'Check the key or set another one.',
    otherwise: `The key was refused by ${host}: check it, or set another one`,
  };
}

function explainPermission({ host, model, label, type, said }: Failure): Explanation {
  const isAboutKey = KEY_TYPES.has(type) || ABOUT_KEY.test(said);
  return {
    code: said === '' || isAboutKey || type === 'permission_error' ? 'auth' : 'provider',
    happened: isAboutKey
      ? `${host} refused the key for ${model}`
      : `${host} refused the request for ${model} (${label})`,
    todo: isAboutKey ? 'Check what the key may do, or set another one.' : 'Check what the account may use.',
    otherwise: `The key was refused by ${host} for ${model}: check what the key may do, or set another one`,
  };
}

/** The API says the same of a path: if the address is unusual, only an answer with the name of the model is about it. */
function explainNotFound({ host, model, api, checkUrl, isUsual, label, type, said }: Failure): Explanation {
  if (said.includes(model) || (isUsual && (UNKNOWN_MODEL.has(type) || ABOUT_MODEL.test(said))))
    return {
      code: 'not_found',
      happened: `${host} does not have the model ${model}`,
      todo: 'Choose another model.',
      otherwise: `The model ${model} is not known to ${host}: choose another model`,
    };
  const missing = `${host} has no ${api} at this address`;
  return {
    code: 'provider',
    happened: ABOUT_PATH.test(said) ? missing : `${host} refused the request (${label})`,
    todo: asSentence(checkUrl),
    otherwise: `${missing}: ${checkUrl}`,
  };
}

function explainDelay({ host, label, status }: Failure): Explanation {
  return {
    code: 'provider',
    happened: `${host} could not take the request now (${label})`,
    todo: 'Try again.',
    otherwise: `${host} could not take the request now (${status}): try again`,
    retryable: true,
  };
}

function explainOther({ host, api, checkUrl, label, status, type, said }: Failure): Explanation {
  if (ABOUT_LOADING.test(said) && status === 503)
    return {
      code: 'overloaded',
      happened: `${host} is loading the model`,
      todo: 'Wait until it is loaded.',
      otherwise: `${host} is loading the model: wait until it is loaded`,
      retryable: true,
    };
  if (status >= 500 && ABOUT_LASTING_FAULT.test(said))
    return {
      code: 'provider',
      happened: `${host} failed (${label})`,
      todo: 'Correct what it names, then try again.',
      otherwise: `${host} failed (${type || status})`,
    };
  if (status >= 500)
    return {
      code: 'provider',
      happened: `${host} failed (${label})`,
      todo: AGAIN,
      otherwise: `${host} failed (${type || status}): this may pass after a while`,
      retryable: true,
    };
  return {
    code: 'provider',
    happened: `${host} answered with ${label}`,
    todo: asSentence(checkUrl),
    otherwise: `${host} answered with ${status}, which is no answer of a ${api}: ${checkUrl}`,
  };
}

function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** No connection, or one that broke; always retryable. */
export function connectionError(phase: 'connect' | 'stream', cause: unknown, target: RequestTarget): ModelError {
  const code = networkCode(cause);
  const why = NETWORK_CAUSES[code ?? ''] ?? code;
  const message =
    phase === 'connect'
      ? `No connection to ${target.host}: ${why === null ? '' : `${why}; `}check the network and the base URL`
      : `The connection to ${target.host} broke before the answer was complete${why ? `: ${why}` : ''}`;
  return new ModelError('unreachable', message, {
    retryable: true,
    cause,
    ...(code ? { detail: code } : {}),
  });
}

/** For a request whose signal was aborted; the error that was thrown does not matter. */
export function cancelledError(signal: AbortSignal): ModelError {
  return new ModelError('cancelled', 'The request was stopped', { retryable: false, cause: signal.reason });
}

/**
 * Returns the pause that the provider asks for, in milliseconds, at most a day: `retry-after-ms`, or `retry-after` in
 * seconds or as a date. Null without one.
 */
export function retryAfterMs(header: (name: string) => string | null, now = Date.now()): number | null {
  const pauseMs = parsePause(header, now);
  return pauseMs === null ? null : Math.min(Math.max(0, pauseMs), MAX_PAUSE_MS);
}

function parsePause(header: (name: string) => string | null, now: number): number | null {
  const ms = Number.parseFloat(header('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return ms;
  const after = header('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : date - now;
}

/** The code at the bottom of a chain of causes. */
function networkCode(error: unknown): string | null {
  let found: string | null = null;
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') found = at.code;
    if (at instanceof AggregateError && found === null) found = networkCode(at.errors[0]);
  }
  return found;
}

/** Returns the server's sentence as one line in quotation marks, without keys, at most 400 characters; null if empty. */
function quoted(said: string): string | null {
  const line = redact(said)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  if (line === '') return null;
  const sentence = line.length > MAX_SAID_CHARS ? `${cutAtCodePoint(line, MAX_SAID_CHARS - 1)}…` : line;
  return /[.!?…]$/.test(sentence) ? `"${sentence}"` : `"${sentence}".`;
}

/** The address answers, but not with a stream of events; final, because another request would get the same. */
export function strangeError(contentType: string, { host, api, checkUrl }: RequestTarget): ModelError {
  return new ModelError('provider', `${host} did not answer as a ${api} does: ${checkUrl}`, {
    retryable: false,
    detail: `content-type ${contentType || 'none'}`,
  });
}
