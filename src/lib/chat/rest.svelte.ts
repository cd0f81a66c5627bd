/** Whether the messages stand still: what is of use only to somebody who stays with one is not drawn while they pass by. */
import { createContext } from 'svelte';

const [get, set, has] = createContext<() => boolean>();

export const setRest = set;

/** Whether to draw it: from the start with `atOnce`, else once the messages stand still for the first time. */
export function drawnAtRest(atOnce: boolean): () => boolean {
  const rests = has() ? get() : () => true;
  let drawn = $state(atOnce);
  $effect(() => {
    if (drawn || !rests()) return;
    // One message at a time: what the person does next goes between them.
    const timer = setTimeout(() => (drawn = true));
    return () => clearTimeout(timer);
  });
  return () => drawn;
}
