/** Whether the messages stand still: what is of use only to somebody who stays with one is not drawn while they pass by. */
import { createContext } from 'svelte';

const [get, set, has] = createContext<() => boolean>();

export const setRest = set;

/** True where nothing scrolls. */
export function restHere(): () => boolean {
  return has() ? get() : () => true;
}
