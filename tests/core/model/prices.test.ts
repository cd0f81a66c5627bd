// Costs: whole billionths of a dollar from the table, and none where a price is not known.
import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '#core/model/model.ts';
import { DEFAULT_ALIASES } from '#core/settings/model-aliases.ts';
import { builtinPrices, loadPrices, priceOf } from '#core/model/prices.ts';

const TABLE = loadPrices(`
  version = "2026-01-02"
  [models.m]
  input = 3.0
  output = 15
  cache_read = 0.0125
  cache_write_5m = 3.75
  cache_write_1h = 6.0
  [models.half]
  input = 1.0
  [models.long]
  input = 0.1
  output = 0.5
  cache_read = 0.01
  [models.long.long_prompt]
  above = 1000
  input = 0.5
  output = 2.5
  cache_read = 0.05
`);

describe('the cost of a request', () => {
  test.for([
    ['inputTokens', 3_000],
    ['outputTokens', 15_000],
    ['cacheReadTokens', 12.5],
    ['cacheWrite5mTokens', 3_750],
    ['cacheWrite1hTokens', 6_000],
  ] as const)('%s', ([kind, each]) => {
    expect(priceOf(TABLE, 'm', { ...NO_USAGE, [kind]: 1_000 })).toEqual({
      nanoUsd: each * 1_000,
      priceVersion: '2026-01-02',
    });
  });

  test('thinking is part of output and not counted twice', () => {
    expect(priceOf(TABLE, 'm', { ...NO_USAGE, outputTokens: 10, thinkingTokens: 8 }).nanoUsd).toBe(150_000);
  });

  test('is the sum of all classes, rounded once', () => {
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 3,
      cacheWrite5mTokens: 1,
      cacheWrite1hTokens: 1,
      outputTokens: 1,
      thinkingTokens: 0,
    };
    expect(priceOf(TABLE, 'm', usage).nanoUsd).toBe(Math.round(3_000 + 37.5 + 3_750 + 6_000 + 15_000));
  });

  test('stays exact where tokens are many', () => {
    expect(priceOf(TABLE, 'm', { ...NO_USAGE, cacheReadTokens: 999_999_999 }).nanoUsd).toBe(12_499_999_988);
  });

  test('of a model with a date in its id is that of the model', () => {
    expect(priceOf(TABLE, 'm-20260102', { ...NO_USAGE, inputTokens: 1 }).nanoUsd).toBe(3_000);
  });

  test('of a long prompt is higher for all of the request, cached parts counted in', () => {
    const short = { ...NO_USAGE, inputTokens: 500, cacheReadTokens: 500, outputTokens: 10 };
    expect(priceOf(TABLE, 'long', short).nanoUsd).toBe(500 * 100 + 500 * 10 + 10 * 500);
    const long = { ...short, inputTokens: 501 };
    expect(priceOf(TABLE, 'long', long).nanoUsd).toBe(501 * 500 + 500 * 50 + 10 * 2_500);
  });
});

describe('an unknown price', () => {
  test('of a model that is not listed is null, with no version', () => {
    expect(priceOf(TABLE, 'llama3', { ...NO_USAGE, inputTokens: 1 })).toEqual({
      nanoUsd: null,
      priceVersion: null,
    });
  });

  test('of a class that was used makes the cost unknown, and of one that was not does no harm', () => {
    expect(priceOf(TABLE, 'half', { ...NO_USAGE, inputTokens: 1, outputTokens: 1 }).nanoUsd).toBeNull();
    expect(priceOf(TABLE, 'half', { ...NO_USAGE, inputTokens: 1 }).nanoUsd).toBe(1_000);
  });
});

describe('the table', () => {
  test('that comes with the program prices every alias, and a read below a fresh token', async () => {
    const table = await builtinPrices();
    for (const model of Object.values(DEFAULT_ALIASES)) {
      const fresh = priceOf(table, model, { ...NO_USAGE, inputTokens: 1_000 }).nanoUsd;
      const read = priceOf(table, model, { ...NO_USAGE, cacheReadTokens: 1_000 }).nanoUsd;
      expect(fresh).toBeGreaterThan(0);
      expect(read).toBeLessThan(fresh!);
    }
  });

  test.for([
    ['models = [', /cannot be read/],
    ['version = "2026-01-02"\n[models.m]\ninput = -1.0', /models\.m\.input/],
    ['version = "2026-01-02"\n[models.m]\ninputs = 1.0', /models\.m/],
    ['version = "today"\n[models]', /version/],
  ] as [string, RegExp][])('with a mistake is refused: %j', ([toml, message]) => {
    expect(() => loadPrices(toml)).toThrow(message);
  });
});
