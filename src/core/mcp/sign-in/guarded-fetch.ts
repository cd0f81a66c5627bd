/** Requests to whoever a server names for its sign-ins: that server may be a liar, so it does not choose freely where they go. */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { codeOf, TriadError } from '../../base/errors.ts';
import { requestOf } from '../../base/http.ts';
import { askedFor } from '../../base/outgoing.ts';
import { isLoopback } from '../../base/loopback.ts';
import { isPublic } from '../../base/public-address.ts';
import { orStopped, stopOf } from '../../base/stop.ts';

/** For one answer. */
const LIMITS = { ms: 10_000, bytes: 256 * 1024 };
/** The headers of an answer that are read. */
const READ = ['content-type', 'location', 'www-authenticate'];
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

export interface Guard {
  /** The address of the MCP server. */
  readonly server: string;
  readonly signal: AbortSignal;
  readonly limits?: typeof LIMITS;
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<LookupAddress[]>;
}

/**
 * Follows no redirect. Throws `not_allowed` for an address without TLS or, unless the MCP server itself stands at such a
 * one, in a private network; `limit_reached` for what is too large or too slow, `unreachable` where there is no answer,
 * and the signal's reason.
 */
export function guardedFetch(guard: Guard): FetchLike {
  return async (to, init = {}) => {
    const url = new URL(to);
    mustBeSafe(url, guard.server);
    const { ms } = guard.limits ?? LIMITS;
    const slow = AbortSignal.timeout(ms);
    const signal = AbortSignal.any([guard.signal, slow]);
    try {
      return await answerTo(url, init, guard, signal);
    } catch (error) {
      if (guard.signal.aborted) throw stopOf(guard.signal);
      if (slow.aborted) throw new TriadError('limit_reached', `${url.host} did not answer within ${ms / 1000} s`);
      if (error instanceof TriadError) throw error;
      const why = codeOf(error) ?? (error instanceof Error ? error.message : String(error));
      throw new TriadError('unreachable', `${url.host} cannot be reached: ${why}`);
    }
  };
}

/** Whether a person may be sent there: as `guardedFetch` where it is asked for. */
export async function mustBeReachable(url: URL, guard: Guard): Promise<void> {
  mustBeSafe(url, guard.server);
  await reachable(url, guard, guard.signal);
}

/** https, or http on this machine where the MCP server stands there too. Throws `not_allowed`. */
export function mustBeSafe(url: URL, server: string): void {
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.href) && isLoopback(server));
  if (isSafe && !url.username && !url.password) return;
  const shown = url.protocol === 'http:' || isSafe ? url.host : url.protocol;
  throw new TriadError('not_allowed', `${shown} is no safe address to sign in at: only https is`);
}

async function answerTo(url: URL, init: RequestInit, guard: Guard, signal: AbortSignal): Promise<Response> {
  const { bytes } = guard.limits ?? LIMITS;
  const addresses = await reachable(url, guard, signal);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    agent: false,
    // What was checked is connected to, whatever the name leads to by now.
    lookup: (_name, { all }, done) => {
      const [first] = addresses;
      if (all || !first) done(null, addresses);
      else done(null, first.address, first.family);
    },
    signal,
  };
  const ask = requestOf(url.protocol as 'http:' | 'https:');
  const request = askedFor('mcp', () => ask(url, options));
  request.on('response', resolve).on('error', reject);
  request.end(init.body === undefined || init.body === null ? undefined : bodyText(init.body));
  const message = await promise;
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const name of READ) {
    const value = message.headers[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  const isEndless = headers.get('content-type')?.includes('text/event-stream') ?? false;
  const body = isEndless ? '' : await bodyOf(message, url, bytes);
  message.destroy();
  return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers });
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TriadError('internal', 'A request of a sign-in has a body of another kind');
}

async function bodyOf(message: IncomingMessage, url: URL, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most) throw new TriadError('limit_reached', `${url.host} answered with more than ${most / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Throws `not_allowed` where a server of the internet names one of a private network. */
async function reachable(url: URL, guard: Guard, signal: AbortSignal): Promise<LookupAddress[]> {
  const addresses = await addressesOf(url, guard, signal);
  const closed = addresses.find(({ address }) => !isPublic(address));
  if (!closed) return addresses;
  const own = await addressesOf(new URL(guard.server), guard, signal);
  if (!own.some(({ address }) => isPublic(address))) return addresses;
  throw new TriadError(
    'not_allowed',
    `${url.host} lies in a private network (${closed.address}), the MCP server does not`,
  );
}

async function addressesOf(url: URL, { resolve = lookup }: Guard, signal: AbortSignal): Promise<LookupAddress[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(name);
  if (family !== 0) return [{ address: name, family }];
  const found = resolve(name).catch((error: unknown) => {
    throw new TriadError('unreachable', `${url.host} cannot be reached: ${codeOf(error) ?? 'it has no address'}`);
  });
  return orStopped(signal, found);
}

const lookup = (name: string): Promise<LookupAddress[]> =>
  process.getBuiltinModule('node:dns').promises.lookup(name, { all: true });
