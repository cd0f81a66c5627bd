/** Looks again whenever what was looked at has changed; gives how often that was until now. */
import { flushSync } from 'svelte';
import { onTestFinished } from 'vitest';

export function watch(look: () => void): () => number {
  let looks = 0;
  onTestFinished(
    $effect.root(() => {
      $effect(() => {
        looks += 1;
        look();
      });
    }),
  );
  return () => {
    flushSync();
    return looks;
  };
}
