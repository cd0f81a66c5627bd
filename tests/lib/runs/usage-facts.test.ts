// Where tokens are shown in the app, the share of the input that came from the provider's cache is.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import { ZERO_TALLY } from '#contract/tally.ts';
import UsageFacts from '#lib/runs/usage-facts.svelte';

it.each([
  [20, 75, 5, '75 %'],
  // Neither all nor nothing, unless it is exactly that.
  [2000, 1, 0, '1 %'],
  [1, 2000, 0, '99 %'],
  [0, 2000, 0, '100 %'],
  [2000, 0, 10, null],
])('%i fresh, %i read from the cache, %i written: %s', (inputTokens, cacheReadTokens, cacheWriteTokens, share) => {
  const usage = { ...ZERO_TALLY, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: 9 };
  const shown = /cached [^<]*/.exec(render(UsageFacts, { props: { usage } }).body)?.[0] ?? null;
  expect(shown).toBe(share && `cached ${share}`);
});
