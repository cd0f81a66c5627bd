// Where tokens are shown in the app, the share of the input that came from the provider's cache is.
import { render } from 'svelte/server';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { ZERO_TALLY, tokenPartsOf } from '#domain/tally.ts';
import TokenSum from '#lib/runs/token-sum.svelte';
import Facts from '#lib/ui/facts.svelte';
import { boundFacts, usageFacts } from '#lib/ui/facts.ts';
import { speakBy } from '#lib/view/language.ts';
import { learn } from '#lib/words/text.ts';

beforeAll(() => learn('fr'));
afterEach(() => speakBy(() => 'en'));

it.each([
  [20, 75, 5, '75 %'],
  // Neither all nor nothing, unless it is exactly that.
  [2000, 1, 0, '1 %'],
  [1, 2000, 0, '99 %'],
  [0, 2000, 0, '100 %'],
  [2000, 0, 10, null],
])(
  '%i fresh, %i read from the cache, %i written show a cached share: %s',
  (inputTokens, cacheReadTokens, cacheWriteTokens, share) => {
    const usage = { ...ZERO_TALLY, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: 9 };
    const shown = /cached [^<]*/.exec(render(Facts, { props: { facts: usageFacts(usage) } }).body)?.[0] ?? null;
    expect(shown).toBe(share && `cached ${share}`);
  },
);

const USED = { ...ZERO_TALLY, inputTokens: 1000, cacheReadTokens: 2000, cacheWriteTokens: 300, outputTokens: 400 };
const sumOf = (usage: typeof USED, short: boolean, inName = false): string =>
  render(TokenSum, { props: { parts: tokenPartsOf(usage), short, inName } }).body.replaceAll(/<!--.*?-->/g, '');

it('shows one token sum with its parts in the tooltip, and for screen readers except in row names', () => {
  const said = '1K fresh, 2K cached, 300 written to the cache, 400 out';
  const parts = `title="${said}"`;
  const heard = `<span class="sr-only"> (${said})</span>`;
  expect(sumOf(USED, true, true)).toBe(`<span ${parts} class="whitespace-nowrap">3.7K</span>`);
  expect(sumOf(USED, true)).toBe(`<span ${parts} class="whitespace-nowrap">3.7K</span>${heard}`);
  expect(sumOf(USED, false)).toBe(`<span ${parts} class="whitespace-nowrap">3.7K tokens</span>${heard}`);
  expect(sumOf({ ...USED, estimatedOutputTokens: 40 }, true)).toMatch(
    /400 out, of which 40 estimated" class="whitespace-nowrap">≈ 3\.7K</,
  );
  expect(render(Facts, { props: { facts: usageFacts(USED) } }).body).toContain(parts);
});

it('shows usage facts in French', () => {
  speakBy(() => 'fr');
  expect(render(Facts, { props: { facts: usageFacts(USED) } }).body).toMatch(/jetons[^]*61\u202F% du cache/);
  expect(render(Facts, { props: { facts: usageFacts(USED) } }).body).not.toMatch(/cached|tokens/);
});

it('has a fact for each limit, marked when used up, and no used amount for an unknown cost', () => {
  const bounds = [
    { kind: 'tokens', used: 500, of: 1000 },
    { kind: 'iterations', used: 20, of: 20 },
    { kind: 'costUsd', used: null, of: 1 },
  ] as const;
  expect(boundFacts(bounds).map(({ class: look }) => look)).toEqual([undefined, 'text-danger', undefined]);
  const [tokens, turns, cost] = boundFacts(bounds).map(({ text }) => text);
  expect(tokens).toMatch(/500.*1K/);
  expect(turns).toMatch(/20.*20/);
  expect(cost).toMatch(/\$1/);
  expect(cost).not.toMatch(/null|NaN|\$0/);
});

it('labels a sum of dollars as cost for screen readers, except within a name', () => {
  const heard = (inName: boolean): boolean =>
    render(Facts, { props: { facts: usageFacts(USED, { inName }) } }).body.includes(
      '<span class="sr-only">Cost</span>',
    );
  expect([heard(false), heard(true)]).toEqual([true, false]);
});
