/** The checks before anything else of a request is looked at: right name of the host, right origin. */
import type { IncomingMessage } from 'node:http';

export interface Refusal {
  status: number;
  text: string;
}

/** Returns the values of `Host` for the app. Another site can bind any other name to this address. */
export function listAppHosts(port: number, ownName: string): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]', ownName];
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
}

/** Null when the request may go on. Reading needs a known host; changing anything, and a socket, a known origin too. */
export function refusal(request: IncomingMessage, hosts: ReadonlySet<string>, kind: 'page' | 'socket'): Refusal | null {
  const host = request.headers.host?.toLowerCase();
  if (host === undefined || !hosts.has(host)) return { status: 403, text: 'This host name is not served here.' };
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const { origin } = request.headers;
  const foreign = origin !== undefined && origin.toLowerCase() !== `http://${host}`;
  if (kind === 'socket' && (origin === undefined || foreign)) {
    return { status: 403, text: 'Only the app itself may connect.' };
  }
  if (!reads && (origin === undefined || foreign)) return { status: 403, text: 'Only the app itself may do this.' };
  if (!reads) return { status: 405, text: 'Only GET and HEAD are served here.' };
  return null;
}
