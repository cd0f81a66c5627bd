/** The one error of the core: a stable code, one sentence for the person, and detail for developers; both without secrets. */
import { inOneLine } from '#contract/approvals/in-one-line.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { ErrorCode, ErrorInfo } from '#contract/error.ts';
import { redact } from './redact.ts';

interface Options {
  cause?: unknown;
  detail?: string;
  /** The message as keys and values, one behind the other. */
  says?: readonly Phrase[] | undefined;
}

export class TriadError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  /** The message as keys and values, one behind the other. */
  readonly says: readonly Phrase[] | undefined;

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(redact(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TriadError';
    this.code = code;
    this.detail = options.detail === undefined ? undefined : redact(options.detail);
    this.says = options.says?.map(redacted);
  }
}

/** An error that a screen can say in the language of its reader. */
export function saidError(code: ErrorCode, says: readonly Phrase[], options: { cause?: unknown } = {}): TriadError {
  return new TriadError(code, inOneLine(says.map(sentenceOf)), { ...options, says });
}

/** Returns the error without secrets that were registered after it was created. */
export function redactAgain(error: unknown): unknown {
  if (!(error instanceof TriadError)) return error;
  const { code, message, cause, detail, says } = error;
  return new TriadError(code, message, { cause, says, ...(detail === undefined ? {} : { detail }) });
}

function redacted({ key, values }: Phrase): Phrase {
  const clean = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ]);
  return { key, values: Object.fromEntries(clean) as Phrase['values'] };
}

/** Any thrown value in the shape that crosses boundaries; what nobody foresaw becomes `internal`. */
export function errorInfo(error: unknown): ErrorInfo {
  if (error instanceof TriadError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.detail === undefined ? {} : { detail: error.detail }),
      ...(error.says === undefined ? {} : { says: [...error.says] }),
    };
  }
  if (error instanceof Error)
    return {
      code: 'internal',
      message: redact(error.message),
      ...(error.stack ? { detail: redact(error.stack) } : {}),
    };
  return { code: 'internal', message: redact(String(error)) };
}

/** The code of a thrown value, such as the system's `ENOENT`; null where it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Errors of the system that come from a path or its permissions: a later try does not succeed by itself. */
const PATH_CODES = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'EACCES', 'EPERM', 'ELOOP']);

/**
 * Returns the code of a fault after which a later try can succeed, such as `ENOSPC` of a full disk; null for any other
 * error.
 */
export function findDiskFault(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = codeOf(cause);
    if (code !== null && /^E[A-Z0-9]+$/.test(code)) return PATH_CODES.has(code) ? null : code;
  }
  return null;
}

const TLS = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO|HOSTNAME_MISMATCH)/;

/** Whether a connection failed because the other side's certificate is not trusted, or speaks no TLS. */
export const isUntrusted = (error: unknown): boolean => TLS.test(codeOf(error) ?? '');

/** Throws `not_found` with the message where there is nothing. */
export async function mustExist<T>(found: Promise<T | null>, message: string): Promise<T> {
  const value = await found;
  if (value === null) throw new TriadError('not_found', message);
  return value;
}
