/** What went wrong with a request, in a sentence that says what to do. */
import { codeOf, isUntrusted, TriadError } from '../../base/errors.ts';

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'its name could not be looked up: there may be no network',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection broke before the answer was whole',
  EPIPE: 'the connection broke before the answer was whole',
  ETIMEDOUT: 'it could not be connected to in time',
  EHOSTUNREACH: 'there is no way to it from this network',
  ENETUNREACH: 'there is no way to it from this network',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection broke before the answer was whole',
};

export function requestFailure({ href }: URL, error: unknown, { headerBytes }: { headerBytes: number }): TriadError {
  const code = codeOf(error) ?? '';
  const said = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  const failed = (words: string): TriadError =>
    new TriadError('unreachable', `${href} could not be read: ${words}`, { cause: error });
  const words = WORDS[code];
  if (words !== undefined) return failed(words);
  if (code === 'HPE_HEADER_OVERFLOW') return failed(`its headers are larger than ${headerBytes} bytes`);
  if (code.startsWith('HPE_')) return failed(`what it sends is no HTTP (${said})`);
  if (isUntrusted(error)) return failed(`its TLS certificate or connection is not trusted (${said || code})`);
  if (/^(Z_|ERR_.*BROTLI|ERR__ERROR_)/.test(code)) return failed('its body is packed wrongly or not whole');
  return failed(said || code);
}
