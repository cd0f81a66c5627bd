/** Signs grants with a key of this installation, so that other users of a shared store cannot add or change one. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Grant } from '#contract/permission.ts';
import { canonicalHash } from '../base/hash.ts';
import type { Secrets } from '../settings/secrets.ts';

/** Name of the key in the key store. */
const KEY_NAME = 'grants';
const KEY_BYTES = 32;

export class GrantSigner {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /** Reads the key, or creates it at the first use. Rejects if the key store cannot be read or written. */
  static async load(secrets: Pick<Secrets, 'get' | 'set'>): Promise<GrantSigner> {
    const text = await secrets.get(KEY_NAME);
    if (text !== null) return new GrantSigner(Buffer.from(text, 'base64'));
    const key = randomBytes(KEY_BYTES);
    await secrets.set(KEY_NAME, key.toString('base64'));
    return new GrantSigner(key);
  }

  sign(grant: Grant): Grant {
    return { ...grant, signature: this.#digest(grant).toString('base64') };
  }

  /** Returns false for a grant that another installation signed, and for one that was changed since. */
  isSigned(grant: Grant): boolean {
    const signature = Buffer.from(grant.signature ?? '', 'base64');
    const digest = this.#digest(grant);
    return signature.length === digest.length && timingSafeEqual(signature, digest);
  }

  #digest({ signature: _, ...grant }: Grant): Buffer {
    return createHmac('sha256', this.#key).update(canonicalHash(grant)).digest();
  }
}
