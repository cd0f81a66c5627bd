/**
 * Which hosts this process asks, counted at the one place that no request gets around: what Node itself says of each
 * request that it begins, by `fetch`, a WebSocket or `http`. Of other processes it knows nothing.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { Contacted, Purpose } from '#contract/hosts/security.ts';

/** More than anybody reads; what makes up new names must not fill the memory. */
const MOST = 200;

const { AsyncLocalStorage: Storage } = process.getBuiltinModule('node:async_hooks');
const channels = process.getBuiltinModule('node:diagnostics_channel');

// Module state on purpose: a process has one network.
const purposes: AsyncLocalStorage<Purpose> = new Storage();
const asked = new Map<string, Contacted>();
let left = 0;
const since = new Date().toISOString();

/** Requests that the work begins are made for this. */
export function askedFor<T>(by: Purpose, work: () => T): T {
  return purposes.run(by, work);
}

/** The same `fetch`, for this. It finds the global one when it is called. */
export const fetchFor =
  (by: Purpose): typeof fetch =>
  (input, init) =>
    askedFor(by, () => fetch(input, init));

/** Counts a request to a host, with its port. Who asks through another network stack than Node's has to call it. */
export function contacted(host: string, by: Purpose = purposes.getStore() ?? 'other'): void {
  const last = new Date().toISOString();
  const key = `${by} ${host}`;
  const found = asked.get(key);
  // The one asked last is the last.
  asked.delete(key);
  asked.set(key, { host, by, count: (found?.count ?? 0) + 1, last });
  if (asked.size <= MOST) return;
  asked.delete(asked.keys().next().value ?? '');
  left += 1;
}

/** Since the process began to count, the newest first; `left`: entries that made room. */
export function contactedHosts(): { since: string; contacted: Contacted[]; left: number } {
  return { since, contacted: [...asked.values()].reverse(), left };
}

function listen(name: string, hostOf: (request: object) => unknown): void {
  channels.subscribe(name, (message) => {
    const { request } = message as { request: object };
    const host = hostOf(request);
    if (typeof host === 'string' && host !== '') contacted(host);
  });
}

/** Probes an idle connection after this time, in milliseconds: a dead one ends, where the system reports it. */
const KEEP_ALIVE_MS = 15_000;

channels.subscribe('undici:client:connected', (message) => {
  (message as { socket: Socket }).socket.setKeepAlive(true, KEEP_ALIVE_MS);
});

listen('undici:request:create', (request) => {
  const { origin } = request as { origin?: unknown };
  return URL.canParse(String(origin)) ? new URL(String(origin)).host : null;
});
listen('http.client.request.created', (request) => (request as { getHeader(name: string): unknown }).getHeader('host'));
