/** The runtime behind this page: of the desktop shell where there is one, else of the host that served it. */
import type { Bridge } from '#contract/rpc.ts';
import { BridgeLink } from './bridge-link.ts';
import { type Connection, LinkConnection } from './connection.ts';
import { SocketLink } from './socket-link.ts';

declare global {
  interface Window {
    readonly triad?: Bridge;
  }
}

export function connectToHost(): Connection {
  const bridge = window.triad;
  if (bridge !== undefined) return new LinkConnection(() => new BridgeLink(bridge));
  const url = new URL('/ws', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new LinkConnection(() => new SocketLink(url));
}
