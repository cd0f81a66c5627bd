/** How much room the column that a transcript stands in has, for what may stand beyond the text's own width. */
import { createContext } from 'svelte';

const [get, set, has] = createContext<() => number>();

/** `width`: of the column, in pixels. */
export const setRoom = set;

/** In pixels; 0 where nothing may stand beyond the text. */
export function roomHere(): () => number {
  return has() ? get() : () => 0;
}
