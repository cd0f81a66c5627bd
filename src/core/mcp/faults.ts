/** What can go wrong with a server, as one sentence for the model and the person that names it. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { visibleText } from '#contract/visible-text.ts';
import { codeOf, TriadError } from '../base/errors.ts';
import { cutAtCodePoint } from '../base/text.ts';
import { serverWords } from './server-words.ts';

/** Of what a server says itself. */
const SAID_CHARS = 2000;

const said = (text: string): string => cutAtCodePoint(visibleText(text.trim()), SAID_CHARS);

/** Whether a server wants a sign-in first. */
function wantsSignIn(error: unknown): boolean {
  const isRefused = error instanceof UnauthorizedError || error instanceof InsufficientScopeError;
  return isRefused || (error instanceof SdkHttpError && error.status === 401);
}

/** Where a server forgot the session, as all its requests fail from then on. */
export function hasLostSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

function signInFault(name: string, error: unknown): TriadError {
  const login = `triad mcp login ${name}`;
  const isTooLittle = error instanceof InsufficientScopeError;
  const why = isTooLittle ? `a sign-in that allows more: triad mcp logout ${name}, then ${login}` : `sign-in: ${login}`;
  return new TriadError('auth', `${serverWords(name)} needs ${why}`);
}

/** It ended before it was ready; `last`: what its log says last. */
export function startFault(name: string, error: unknown, ended: string | null, last: string | null): TriadError {
  if (error instanceof TriadError) return error;
  if (wantsSignIn(error)) return signInFault(name, error);
  const why = ended ?? `could not be connected: ${causeOf(error)}`;
  const log = ended === null || last === null ? '' : `; it said: ${said(last)}`;
  return new TriadError('unreachable', `${serverWords(name)} ${why}${log}`, { cause: error });
}

/** `what`: what was asked, such as `the tool "x"`. */
export function lostFault(name: string, what: string, ended: string): TriadError {
  const message = `${serverWords(name)} ${ended} while ${what} ran: whether that took effect is not known`;
  return new TriadError('disconnected', message);
}

/** An answer that is an error, or a request that could not be made. */
export function requestFault(name: string, what: string, error: unknown): TriadError {
  if (error instanceof TriadError) return error;
  if (wantsSignIn(error)) return signInFault(name, error);
  if (error instanceof ProtocolError)
    return new TriadError('provider', `${serverWords(name)} refused ${what}: ${said(error.message)} (${error.code})`);
  if (error instanceof SdkError && !(error instanceof SdkHttpError))
    return new TriadError('provider', `${serverWords(name)} could not do ${what}: ${said(error.message)}`);
  if (error instanceof SdkHttpError) {
    const message = `${serverWords(name)} answered ${what} with HTTP ${error.status}${PAGE.test(error.message) ? ' and a web page' : `: ${said(error.message)}`}`;
    return new TriadError(hasLostSession(error) ? 'unreachable' : 'provider', message);
  }
  return new TriadError('unreachable', `${serverWords(name)} cannot be reached for ${what}: ${causeOf(error)}`, {
    cause: error,
  });
}

/** What an address answered that speaks another language: its page says nothing to a person here. */
const PAGE = /<(?:!doctype|html|head|body)\b/i;

/** The innermost reason: `fetch` wraps the system's. */
function causeOf(error: unknown): string {
  if (error instanceof SdkHttpError && PAGE.test(error.message))
    return `its address answers with HTTP ${error.status} and a web page, as if no MCP server were there`;
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  const text = inner instanceof Error ? inner.message : String(inner);
  return said(text || (codeOf(inner) ?? 'it is not known why'));
}
