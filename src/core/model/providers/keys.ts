/** The keys of providers: each goes only to the address that it belongs to. */
import type { KeyElsewhere } from '#contract/providers/key-elsewhere.ts';
import { keyElsewhereSentence } from '#contract/providers/key-elsewhere-text.ts';
import type { ProviderState } from '#contract/providers/provider.ts';
import { TriadError } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { Secrets } from '../../settings/secrets.ts';
import { keepKey, keptKey, keyNameOf } from '../kept-key.ts';
import { addressAt, addressVariable, type Place } from './place.ts';

interface Known {
  apiKey: string;
  source: Exclude<ProviderState['keySource'], 'none'>;
  /** The one that it belongs to. */
  address: string;
}

export class ProviderKeys {
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** The key that may be sent to this address; null where none may. */
  async keyFor(place: Place, address: string): Promise<Omit<Known, 'address'> | null> {
    const known = await this.#known(place);
    return known.find((key) => key.address === address) ?? null;
  }

  /** The key that there is for another address than this one, which has none; null where there is none. */
  async elsewhere(place: Place, address: string): Promise<KeyElsewhere | null> {
    const [first] = await this.#known(place);
    return first ? { source: first.source, variable: place.keyEnv, of: first.address, to: address } : null;
  }

  /** Throws `no_key` where another address would be without a key, or would get that of the environment. */
  async mustMove(place: Place, address: string, given: string | undefined): Promise<void> {
    if (place.envKey && place.baseUrlSource !== 'environment') {
      const variable = addressVariable(place.name);
      const way = variable === null ? 'change base_url in the settings file' : `set ${variable} beside it`;
      throw new TriadError(
        'no_key',
        `${place.keyEnv} would be sent to ${address}: ${way}, or unset it and enter the key of this endpoint`,
      );
    }
    if (given !== undefined || isLoopback(address) || (await this.keyFor(place, address))) return;
    const elsewhere = await this.elsewhere(place, address);
    if (elsewhere !== null) throw new TriadError('no_key', keyElsewhereSentence(elsewhere));
  }

  /** Null removes it. */
  keep(provider: string, key: { apiKey: string; address: string } | null): Promise<void> {
    return keepKey(this.#secrets, provider, key);
  }

  /** The one from the environment, or from the file, goes before the one that is kept. */
  async #known(place: Place): Promise<Known[]> {
    const { entry, envKey } = place;
    if (envKey) return [{ apiKey: envKey, source: 'environment', address: place.address }];
    // It was written for the address beside it, whatever the environment says.
    const written = entry.auth?.api_key;
    if (typeof written === 'string') {
      return [{ apiKey: written, source: 'file', address: addressAt(entry.base_url, entry.type) }];
    }
    const kept = await keptKey(this.#secrets, keyNameOf(place.name));
    return kept === null ? [] : [{ ...kept, source: 'store' }];
  }
}

/** Trims a key. Throws `bad_input` unless it is visible ASCII: it travels in a header. */
export function cleanKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new TriadError('bad_input', 'The key contains spaces or characters that a key cannot have: copy it again');
}
