/** What signing in to servers gave, in the key store: for each server by its address, so that another one gets none of it. */
import { z } from 'zod';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { Secrets } from '../../settings/secrets.ts';

const Grant = z.object({
  /** Who gave the tokens. */
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().nullable(),
  /** How a client proves who it is there. */
  authMethods: z.array(z.string()),
  /** What the tokens are for, as the server calls itself; null where it does not say. */
  resource: z.string().nullable(),
  clientId: z.string(),
  clientSecret: z.string().nullable(),
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  /** In milliseconds since 1970; null: it is not known. */
  expiresAt: z.number().nullable(),
});
export type Grant = z.infer<typeof Grant>;

/** By address; null: it wants a sign-in, and nobody is signed in. */
type Kept = Readonly<Record<string, Grant | null>>;
const Kept = z.record(z.string(), Grant.nullable());

/** No name of a secret: a header or an address with `${secret:NAME}` can never be filled with tokens. */
const nameOf = (server: string): string => `mcp:${server}:sign-in`;

export class Grants {
  readonly #secrets: Pick<Secrets, 'get' | 'set'>;
  readonly #writes = new SerialQueue();

  constructor(secrets: Pick<Secrets, 'get' | 'set'>) {
    this.#secrets = secrets;
  }

  /** Undefined: it never wanted a sign-in. */
  async get(server: string, url: string): Promise<Grant | null | undefined> {
    const kept = await this.#read(server);
    return Object.hasOwn(kept, url) ? kept[url] : undefined;
  }

  /** All addresses of a server that want or wanted a sign-in. */
  async urls(server: string): Promise<string[]> {
    return Object.keys(await this.#read(server));
  }

  /** Undefined changes nothing. Resolves with whether something changed. */
  change(
    server: string,
    url: string,
    next: (now: Grant | null | undefined) => Grant | null | undefined,
  ): Promise<boolean> {
    return this.#writes.add(async () => {
      const kept = await this.#read(server);
      const now = Object.hasOwn(kept, url) ? kept[url] : undefined;
      const value = next(now);
      if (value === undefined || value === now) return false;
      await this.#secrets.set(nameOf(server), JSON.stringify({ ...kept, [url]: value }));
      return true;
    });
  }

  /** All addresses of a server. */
  remove(server: string): Promise<void> {
    return this.#writes.add(async () => {
      if ((await this.#secrets.get(nameOf(server))) !== null) await this.#secrets.set(nameOf(server), null);
    });
  }

  /** What is damaged is as if it were not there. */
  async #read(server: string): Promise<Kept> {
    const text = await this.#secrets.get(nameOf(server));
    try {
      return Kept.catch({}).parse(JSON.parse(text ?? '{}'));
    } catch {
      return {};
    }
  }
}
