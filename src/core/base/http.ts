import type { request } from 'node:https';

/** Node's HTTP. Imported as a module it would load all of `fetch` with it, a tenth of a start: the names of its exports are read. */
export const { createServer, get } = process.getBuiltinModule('node:http');

/** What makes a request of this protocol; that of https loads TLS, when it is asked for. */
export function requestOf(protocol: 'http:' | 'https:'): typeof request {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').request;
}
