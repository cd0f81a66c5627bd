/** Custom schemes: `app://bundle/x` is a page of a test host over https, answered by what the app registered. */
import type { Protocol } from 'electron';
import type { PageReply, PageRequest } from './pages.ts';

type Handler = Parameters<Protocol['handle']>[1];
const TEST_HOST = 'stand-in.test';

export class Site implements Pick<Protocol, 'handle' | 'registerSchemesAsPrivileged'> {
  readonly #schemes = new Set<string>();
  readonly #handlers = new Map<string, Handler>();

  registerSchemesAsPrivileged(schemes: readonly { scheme: string }[]): void {
    for (const { scheme } of schemes) this.#schemes.add(scheme);
  }

  handle(scheme: string, handler: Handler): void {
    if (!this.#schemes.has(scheme)) throw new Error(`${scheme} was not declared before the app was ready`);
    this.#handlers.set(scheme, handler);
  }

  /** Answers like the app, and nobody else. */
  async answer({ url: outside, method, headers }: PageRequest): Promise<PageReply> {
    const url = this.inside(outside);
    const handler = this.#handlers.get(new URL(url).protocol.slice(0, -1));
    if (handler === undefined) return null;
    const response = await handler(new Request(url, { method, headers }));
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  /** As the browser must have it. */
  outside(url: string): string {
    const { protocol, host, pathname, search, hash } = new URL(url);
    const scheme = protocol.slice(0, -1);
    return this.#schemes.has(scheme) ? `https://${host}.${scheme}.${TEST_HOST}${pathname}${search}${hash}` : url;
  }

  /** As the app must see it. */
  inside(url: string): string {
    const [, host, scheme, rest] = /^https:\/\/([^./]+)\.(\w+)\.stand-in\.test(.*)$/s.exec(url) ?? [];
    return scheme === undefined ? url : `${scheme}://${host}${rest}`;
  }
}
