/** The address of a store on a SurrealDB server: `wss://HOST/NAMESPACE/DATABASE`. */
import { TriadError } from '../../base/errors.ts';

export interface RemoteAddress {
  /** Where the server speaks its protocol. */
  endpoint: string;
  namespace: string;
  database: string;
  /** The same text for all spellings: what a kept password belongs to, and what is shown. */
  name: string;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Null for the URL of a store that is on no server. Throws `bad_input` for one that cannot or must not be used. */
export function remoteAddress(url: string): RemoteAddress | null {
  if (!/^wss?:/i.test(url)) return null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || parsed.hostname === '') throw refused('is not a URL of a server', HOW);
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw refused(
      'must hold no user, no password and no options, which other programs could see',
      'set it to wss://HOST/NAMESPACE/DATABASE and keep the password with "triad config key store --user NAME < FILE"',
    );
  const [namespace = '', database = '', ...rest] = parsed.pathname.split('/').filter(Boolean);
  if (!NAME.test(namespace) || !NAME.test(database) || rest.length > 0)
    throw refused(`(${parsed.protocol}//${parsed.host}…) does not name a namespace and a database`, HOW);
  if (parsed.protocol === 'ws:' && !LOOPBACK.test(parsed.hostname))
    throw refused(
      `(ws://${parsed.host}…) is not encrypted`,
      'use wss://; ws:// is for a server on this machine (127.0.0.1) only',
    );
  const server = `${parsed.protocol}//${parsed.host}`;
  return { endpoint: `${server}/rpc`, namespace, database, name: `${server}/${namespace}/${database}` };
}

const HOW = 'use wss://HOST/NAMESPACE/DATABASE, with letters, digits, _ and - in both names';

const refused = (what: string, advice: string) =>
  new TriadError('bad_input', `The URL of the store ${what}: ${advice}.`);
