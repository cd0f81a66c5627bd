/** Addresses of the web in one form, so that what is judged, asked and requested is the same. */
import { TriadError } from '../../base/errors.ts';

export const MAX_ADDRESS_CHARS = 2048;

/**
 * Without a fragment, a dot behind the host, `%61` for what needs no escape, and a `%` that escapes nothing. Throws `bad_input` for what is no http
 * or https address, or holds a name and a password.
 */
export function webAddress(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new TriadError('bad_input', `${short(text)} is no address: write it whole, with https://`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TriadError('bad_input', `${short(text)} is not read: only http and https addresses are`);
  if (`${url.username}${url.password}` !== '')
    throw new TriadError('bad_input', 'An address with a name and a password in it is not read: leave them out');
  url.hash = '';
  // A number with a dot behind it has lost it already; a name that is nothing but dots stays, and is not found.
  url.hostname = url.hostname.replace(/(?<=[^.])\.+$/, '');
  url.pathname = plain(url.pathname);
  url.search = plain(url.search);
  if (url.href.length > MAX_ADDRESS_CHARS)
    throw new TriadError('bad_input', `The address has more than ${MAX_ADDRESS_CHARS} characters`);
  return url;
}

/** A `%` that escapes nothing is escaped itself: else it would with what `%36%31` behind it becomes. */
function plain(escaped: string): string {
  return escaped.replaceAll(/%([0-9a-f]{2})?/gi, (whole, hex: string | undefined) => {
    if (hex === undefined) return '%25';
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(char) ? char : whole.toUpperCase();
  });
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

/** What rules match: the whole address, and where something is asked of it, also without that. */
export function addressTargets(url: URL): string[] {
  const bare = `${url.origin}${url.pathname}`;
  return url.href === bare ? [bare] : [url.href, bare];
}
