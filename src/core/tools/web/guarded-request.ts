/**
 * GET requests that reach the public internet alone: each name is resolved once, all of its addresses are checked, and
 * exactly these are connected to. Nothing of the person goes along: no cookies, no credentials, no proxy.
 */
import type { LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { requestOf } from '../../base/http.ts';
import { askedFor } from '../../base/outgoing.ts';
import { TriadError } from '../../base/errors.ts';
import { orStopped } from '../../base/stop.ts';
import { isPermitted } from '../../settings/web-settings.ts';
import { isPublic } from '../../base/public-address.ts';
import { requestFailure } from './request-failure.ts';
import { webAddress } from './web-address.ts';
import { pipeline } from 'node:stream/promises';
import type { Transform } from 'node:stream';

const USER_AGENT = 'Triad (an agent that reads this for a person)';
export const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** `receivedBytes`: of the body as it is sent; `bodyBytes`: of it when it is unpacked; `headerBytes`: of all headers. */
export const LIMITS = {
  headerMs: 20_000,
  totalMs: 60_000,
  headerBytes: 64 * 1024,
  receivedBytes: 10_000_000,
  bodyBytes: 20_000_000,
};
type Limits = typeof LIMITS;

/** All addresses of a name; rejects with the system's code where it has none. */
export type Resolve = (name: string) => Promise<LookupAddress[]>;

export interface Reach {
  signal: AbortSignal;
  /** Hosts, with or without a port, that may be reached although they are not public. */
  privateHosts: readonly string[];
  headers: Readonly<Record<string, string>>;
  /** Whether a redirect to another address at the same host is followed. */
  mayFollow: (url: URL) => boolean;
  resolve?: Resolve;
  limits?: Limits;
}

export interface Response {
  /** Of the last request. */
  url: URL;
  status: number;
  statusText: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Where it redirects to, which was not followed: another host, or an address that may not be followed. */
  movedTo: URL | null;
}

/**
 * Throws `not_allowed` for what is not public, `limit_reached` for what is too large, too slow or redirects too often,
 * `unreachable` where there is no (whole) answer, `bad_input` for an address that is none; rejects as soon as the signal aborts.
 */
export async function guardedGet(address: URL, reach: Reach): Promise<Response> {
  const { limits = LIMITS } = reach;
  const slow = AbortSignal.timeout(limits.totalMs);
  const hop = { ...reach, limits, signal: AbortSignal.any([reach.signal, slow]) };
  let url = address;
  try {
    for (let followed = 0; ; followed++) {
      const message = await answerTo(url, hop);
      const next = redirectOf(url, message);
      if (next === null || next.host !== url.host || !reach.mayFollow(next)) {
        if (next) message.destroy();
        const { statusCode: status = 0, statusMessage: statusText = '', headers } = message;
        const body = next ? Buffer.alloc(0) : await bodyOf(message, limits);
        return { url, status, statusText, headers, body, movedTo: next };
      }
      message.destroy();
      if (followed === MAX_REDIRECTS)
        throw new TriadError('limit_reached', `${address.href} redirects more than ${MAX_REDIRECTS} times`);
      url = next;
    }
  } catch (error) {
    reach.signal.throwIfAborted();
    if (slow.aborted)
      throw new TriadError('limit_reached', `${url.href} was not read within ${limits.totalMs / 1000} seconds`);
    throw error instanceof TriadError ? error : requestFailure(url, error, limits);
  }
}

/** Throws `not_allowed` for one that leaves TLS; its own address is checked when it is requested. */
function redirectOf(from: URL, { statusCode = 0, headers: { location } }: IncomingMessage): URL | null {
  if (!REDIRECTS.has(statusCode) || location === undefined) return null;
  const next = webAddress(location, from);
  if (from.protocol === 'https:' && next.protocol === 'http:')
    throw new TriadError('not_allowed', `${from.href} redirects from https to ${next.href}, without TLS: not followed`);
  return next;
}

type Hop = Reach & { limits: Limits };

/** The answer when its headers are there; its body ends with the signal. */
async function answerTo(url: URL, reach: Hop): Promise<IncomingMessage> {
  const { limits, signal, headers } = reach;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.headerMs);
  const until = AbortSignal.any([signal, late.signal]);
  try {
    const addresses = await checkedAddresses(url, reach, until);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options: RequestOptions = {
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip, deflate, br', ...headers },
      // A connection of its own, as no environment says otherwise.
      agent: false,
      rejectUnauthorized: true,
      maxHeaderSize: limits.headerBytes,
      lookup: given(addresses),
      signal: until,
    };
    const ask = requestOf(url.protocol as 'http:' | 'https:');
    const request = askedFor('fetch', () => ask(url, options));
    request.on('upgrade', (_message, socket) => {
      socket.destroy();
      reject(new Error('it changes to another protocol'));
    });
    request.on('response', resolve).on('error', reject).end();
    return await promise;
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    throw new TriadError('limit_reached', `${url.href} did not answer within ${limits.headerMs / 1000} seconds`);
  } finally {
    clearTimeout(timer);
  }
}

async function checkedAddresses(
  url: URL,
  { privateHosts, resolve = resolveName }: Hop,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(name);
  const addresses = family === 0 ? await orStopped(signal, resolve(name)) : [{ address: name, family }];
  const closed = isPermitted(url, privateHosts) ? undefined : addresses.find(({ address }) => !isPublic(address));
  if (closed)
    throw new TriadError(
      'not_allowed',
      `${url.host} is not public${family === 0 ? `: its address is ${closed.address}` : ''}. Only a person can permit it, with web.private_hosts in their settings`,
    );
  return addresses;
}

const resolveName: Resolve = (name) => process.getBuiltinModule('node:dns').promises.lookup(name, { all: true });

/** Gives whoever connects what was checked, whatever the name leads to by now. */
function given(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all || !first) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** Loaded where something is packed, not with the program. */
const zlib = () => process.getBuiltinModule('node:zlib');
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib().createGunzip(),
  'x-gzip': () => zlib().createGunzip(),
  deflate: () => zlib().createInflate(),
  br: () => zlib().createBrotliDecompress(),
};

interface Sizes {
  receivedBytes: number;
  bodyBytes: number;
}

/** The body of an answer, unpacked. Throws `limit_reached` as soon as it is too large, and `unreachable` for one in an encoding that was not asked for. */
async function bodyOf(message: IncomingMessage, { receivedBytes, bodyBytes }: Sizes): Promise<Buffer> {
  const encoding = (message.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!decoder && encoding !== '' && encoding !== 'identity') {
    message.destroy();
    throw new TriadError('unreachable', `The answer is packed as ${encoding}, which was not asked for`);
  }
  const received = counted(receivedBytes, 'sent');
  const unpacked = counted(bodyBytes, 'unpacked');
  const parts: Buffer[] = [];
  const keep = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) parts.push(chunk);
  };
  await (decoder ? pipeline(message, received, decoder(), unpacked, keep) : pipeline(message, received, keep));
  return Buffer.concat(parts);
}

function counted(most: number, what: string) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > most)
        throw new TriadError('limit_reached', `The answer is larger than ${most} bytes as it is ${what}`);
      yield chunk;
    }
  };
}
