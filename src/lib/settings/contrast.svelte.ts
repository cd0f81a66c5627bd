/** How strong the contrast of all colours is: as the system says, or as the person chose; kept in local storage. */
import { createContext } from 'svelte';

export const CONTRASTS = ['system', 'normal', 'more'] as const;
export type ContrastName = (typeof CONTRASTS)[number];

const KEY = 'triad-contrast';
/** Of systems; "forced colours" replace all colours anyway. */
const WANTED = '(prefers-contrast: more)';

export class Contrast {
  value = $state<ContrastName>('system');
  readonly #wanted = matchMedia(WANTED);
  readonly #follow = (): void => this.#apply(this.value);

  constructor() {
    const known = localStorage.getItem(KEY);
    this.#wanted.addEventListener('change', this.#follow);
    this.#apply(CONTRASTS.find((name) => name === known) ?? 'system');
  }

  set(name: ContrastName): void {
    localStorage.setItem(KEY, name);
    this.#apply(name);
  }

  /** Follows the system no more. */
  stop(): void {
    this.#wanted.removeEventListener('change', this.#follow);
  }

  /** High where it is not, whatever that comes from. */
  toggle(): void {
    this.set(this.#isMore(this.value) ? 'normal' : 'more');
  }

  #isMore(name: ContrastName): boolean {
    return name === 'more' || (name === 'system' && this.#wanted.matches);
  }

  #apply(name: ContrastName): void {
    this.value = name;
    document.documentElement.dataset['contrast'] = this.#isMore(name) ? 'more' : 'normal';
  }
}

export const [getContrast, setContrast] = createContext<Contrast>();
