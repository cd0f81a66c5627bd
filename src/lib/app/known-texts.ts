/**
 * Texts that the person saw to their end before, in whatever conversation: by the hash of their content, kept in local
 * storage. The same text need not be scrolled again; any other one, however alike, must.
 */
import { SvelteSet } from 'svelte/reactivity';

const KEY = 'triad-seen-texts';
/** The oldest are forgotten, and must be seen again. */
const MAX_KEPT = 1000;

export class KnownTexts {
  /** Those of this window, and those that were looked up. */
  readonly #texts = new SvelteSet<string>();
  /** Each is looked up once; also while it is. */
  readonly #looked = new Map<string, Promise<void>>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    void hashOf(text).then((hash) => hash !== null && keep(hash));
  }

  /** Resolves when it is known whether the text was seen before: then `has` says so. */
  look(text: string): Promise<void> {
    const known = this.#looked.get(text);
    if (known) return known;
    const looking = hashOf(text).then((hash) => {
      if (hash !== null && kept().includes(hash)) this.#texts.add(text);
    });
    this.#looked.set(text, looking);
    return looking;
  }
}

/** SHA-256, so that no text can be made that passes for another; null where the page has no such function. */
async function hashOf(text: string): Promise<string | null> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    return null;
  }
}

/** The oldest first. */
function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter((hash) => typeof hash === 'string') : [];
  } catch {
    return [];
  }
}

function keep(hash: string): void {
  const others = kept().filter((other) => other !== hash);
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, hash].slice(-MAX_KEPT)));
  } catch {
    // Then it must be seen again.
  }
}
