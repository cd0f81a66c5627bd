/** Colours for code, from a worker that starts when the first code is shown. */
import { createContext } from 'svelte';
import type { CodeAsked, CodeColoured, ColouredToken } from './highlight.worker.ts';
import script from './highlight.worker.ts?worker&url';

export class Highlighter {
  #worker: Worker | null = null;
  #last = 0;
  readonly #waiting = new Map<number, (lines: ColouredToken[][] | null) => void>();

  /** Tokens by line; null for an unknown language, for code of more than 50,000 UTF-16 code units, without a worker. */
  highlight(code: string, language: string): Promise<ColouredToken[][] | null> {
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<ColouredToken[][] | null>();
    try {
      this.#worker ??= this.#start();
    } catch {
      return Promise.resolve(null);
    }
    this.#waiting.set(id, resolve);
    this.#worker.postMessage({ id, code, language } satisfies CodeAsked);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(ownScript(), { type: 'module' });
    worker.onmessage = ({ data: { id, lines } }: MessageEvent<CodeColoured>) => {
      this.#waiting.get(id)?.(lines);
      this.#waiting.delete(id);
    };
    worker.onerror = () => {
      for (const resolve of this.#waiting.values()) resolve(null);
      this.#waiting.clear();
    };
    return worker;
  }
}

/** One for all code of the app: its languages and themes are loaded once. */
export const [getHighlighter, setHighlighter] = createContext<Highlighter>();

/** A rule for each pair of colours that was seen: by class they cost far less than as properties of each token. */
const colours = new Set<string>();
let sheet: CSSStyleSheet | null = null;

/** The class of a token's colours; its name says them, so that it is the same whatever was coloured before. */
export function colourClass({ light, dark }: ColouredToken): string {
  const name = `token-${light}-${dark}`.replaceAll('#', '');
  if (colours.has(name)) return name;
  colours.add(name);
  sheet ??= adopted();
  sheet.insertRule(`.${name} { color: light-dark(${light}, ${dark}); }`);
  return name;
}

function adopted(): CSSStyleSheet {
  const own = new CSSStyleSheet();
  document.adoptedStyleSheets.push(own);
  return own;
}

/** What TypeScript's own types do not know of yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(address: string): unknown };
}

/** The page's policy of Trusted Types lets no other address start a worker; browsers without them take a string. */
function ownScript(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('triad-worker', { createScriptURL: () => script });
  // `Worker` is typed for strings and takes trusted addresses as they are.
  return (policy?.createScriptURL(script) ?? script) as string;
}
