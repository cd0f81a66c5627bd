/** A browser without a page: the client's own way in, over WebSockets outside of a browser, with keys in memory. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket as NodeSocket } from 'ws';
import { LinkConnection } from '#lib/app/client/connection.ts';
import type { BrowserKey, KeyStore } from '#lib/app/client/key-store.ts';
import type { Refusal } from '#lib/app/client/link.ts';
import { SocketLink } from '#lib/app/client/socket-link.ts';
import { Visitor } from '#lib/app/client/visitor.ts';

export class TestBrowser {
  readonly keys = memoryKeys();
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** One that opened the printed URL. Rejects where it was not let in. */
  static async signedIn(url: string): Promise<TestBrowser> {
    const browser = new TestBrowser(await readAppOrigin(url));
    const { refusal, socket } = await browser.enter(new URL(url).hash.slice(1));
    if (refusal !== undefined) throw new Error(`The browser was not let in: ${refusal}`);
    socket.close();
    return browser;
  }

  visitor(token: string | null = null): Visitor {
    const nothing = () => undefined;
    return new Visitor({ keys: this.keys, origin: this.origin, token, onTokenUsed: nothing, onNewKey: nothing });
  }

  /** New and unread; as a page of this browser would open it. */
  socket(): WebSocket {
    const { host, port } = new URL(this.origin);
    // Not every system resolves names below `localhost`.
    const socket = new NodeSocket(`ws://127.0.0.1:${port}/ws`, { headers: { host, origin: this.origin } });
    socket.on('error', () => undefined);
    // What the client uses of it is the same.
    return socket as unknown as WebSocket;
  }

  /** The connection of a page, which comes back by itself; `cut` breaks its link. */
  connect(): { connection: LinkConnection; cut: () => void } {
    let socket: WebSocket | null = null;
    const connection = new LinkConnection(() => new SocketLink((socket = this.socket()), this.visitor()));
    return { connection, cut: () => socket?.close() };
  }

  /** As a page does, it tries all that it has. `refusal` is missing where it was let in. */
  async enter(token: string | null = null): Promise<{ socket: WebSocket; refusal?: Refusal | null }> {
    const visitor = this.visitor(token);
    for (let tries = 1; ; tries += 1) {
      const socket = this.socket();
      const entry = await visitor.enter(socket);
      if (entry.admitted) return { socket };
      if (entry.refusal !== null || tries === 4) return { socket, refusal: entry.refusal };
    }
  }
}

function memoryKeys(): KeyStore {
  let current: BrowserKey | null = null;
  let staged: BrowserKey | null = null;
  return {
    current: () => Promise.resolve(current),
    staged: () => Promise.resolve(staged),
    stage: async (key) => void (staged = key),
    adopt: async (key) => void ([current, staged] = [key, null]),
  };
}

/** Reads the origin of the app from the page of a printed URL. Connects to 127.0.0.1, because not every system resolves names below `localhost`. */
export async function readAppOrigin(url: string): Promise<string> {
  const { host, port, pathname } = new URL(url);
  const page = await new Promise<string>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: pathname, headers: { host }, agent: false }, (response) => {
      text(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end();
  });
  const origin = /data-app="([^"]+)"/.exec(page)?.[1];
  if (origin === undefined) throw new Error(`${url} shows no sign-in page`);
  return origin;
}
