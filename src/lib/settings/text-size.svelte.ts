/** The text size, which scales the whole layout; kept in local storage. */
import { createContext } from 'svelte';

export const TEXT_SIZES = ['small', 'normal', 'large'] as const;
export type TextSizeName = (typeof TEXT_SIZES)[number];

const KEY = 'triad-text-size';

export class TextSize {
  value = $state<TextSizeName>('normal');

  constructor() {
    const known = localStorage.getItem(KEY);
    this.#apply(TEXT_SIZES.find((size) => size === known) ?? 'normal');
  }

  set(size: TextSizeName): void {
    localStorage.setItem(KEY, size);
    this.#apply(size);
  }

  #apply(size: TextSizeName): void {
    this.value = size;
    document.documentElement.dataset['textSize'] = size;
  }
}

export const [getTextSize, setTextSize] = createContext<TextSize>();
