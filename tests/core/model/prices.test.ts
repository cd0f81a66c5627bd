// Costs: whole billionths of a dollar from the table, and none where a price is not known.
import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '#core/model/model.ts';
import { DEFAULT_ALIASES } from '#core/settings/model-aliases.ts';
import { checkPrices, loadPrices, priceOf, priceRows } from '#core/model/prices.ts';
import { folderWith } from '../../support/workspace.ts';

const TABLE = tableOf(`
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

function tableOf(toml: string): Parameters<typeof priceOf>[0] {
  const result = checkPrices(toml);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { lists: [{ source: 'prices.toml', ...result.value }] };
}

describe('the cost of a request', () => {
  test.for([
    ['inputTokens', 3_000],
    ['outputTokens', 15_000],
    ['cacheReadTokens', 12.5],
    ['cacheWrite5mTokens', 3_750],
    ['cacheWrite1hTokens', 6_000],
  ] as const)('charges %s at the listed price', ([kind, each]) => {
    expect(priceOf(TABLE, 'm', { ...NO_USAGE, [kind]: 1_000 })).toEqual({
      nanoUsd: each * 1_000,
      priceVersion: 'prices.toml 2026-01-02',
    });
  });

  test('counts thinking tokens only as part of the output', () => {
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

  test('charges web searches by the thousand, at one price also for a long prompt', async () => {
    const { lists } = await loadPrices(await folderWith());
    const usage = { ...NO_USAGE, inputTokens: 100_001, webSearches: 3 };
    const nanoUsd = (model: string, one = usage) => priceOf({ lists }, model, one).nanoUsd;
    expect(nanoUsd('claude-haiku-5-5')).toBe(100_001 * 500 + 3 * 10_000_000);
    expect(nanoUsd('claude-haiku-5-5', { ...usage, webSearches: 0 })).toBe(100_001 * 500);
  });

  test('uses the price of the model for an id with a date', () => {
    expect(priceOf(TABLE, 'm-20260102', { ...NO_USAGE, inputTokens: 1 }).nanoUsd).toBe(3_000);
  });

  test('charges the higher price for the whole request if a long prompt, with cached tokens, exceeds the limit', () => {
    const short = { ...NO_USAGE, inputTokens: 500, cacheReadTokens: 500, outputTokens: 10 };
    expect(priceOf(TABLE, 'long', short).nanoUsd).toBe(500 * 100 + 500 * 10 + 10 * 500);
    const long = { ...short, inputTokens: 501 };
    expect(priceOf(TABLE, 'long', long).nanoUsd).toBe(501 * 500 + 500 * 50 + 10 * 2_500);
  });
});

describe('an unknown price', () => {
  test('an unlisted model has the cost null and no price version', () => {
    expect(priceOf(TABLE, 'llama3', { ...NO_USAGE, inputTokens: 1 })).toEqual({
      nanoUsd: null,
      priceVersion: null,
    });
  });

  test('the cost is unknown only if a used class of tokens has no price', () => {
    expect(priceOf(TABLE, 'half', { ...NO_USAGE, inputTokens: 1, outputTokens: 1 }).nanoUsd).toBeNull();
    expect(priceOf(TABLE, 'half', { ...NO_USAGE, inputTokens: 1 }).nanoUsd).toBe(1_000);
  });
});

describe('price lists', () => {
  test('the built-in list has a price for every alias, and a cache read costs less than fresh input', async () => {
    const table = await loadPrices(await folderWith());
    for (const model of Object.values(DEFAULT_ALIASES)) {
      const fresh = priceOf(table, model, { ...NO_USAGE, inputTokens: 1_000 }).nanoUsd;
      const read = priceOf(table, model, { ...NO_USAGE, cacheReadTokens: 1_000 }).nanoUsd;
      expect(fresh).toBeGreaterThan(0);
      expect(read).toBeLessThan(fresh!);
    }
  });

  test('an entry of the person replaces the built-in entry of its model, and the cost names the list', async () => {
    const model = DEFAULT_ALIASES.sonnet;
    const own = `version = "2027-02-03"\n[models."llama3.2:1b"]\ninput = 0\noutput = 0\n[models.${model}]\ninput = 7\n`;
    const table = await loadPrices(await folderWith({ 'prices.toml': own }));
    const costOf = (name: string, outputTokens = 0) =>
      priceOf(table, name, { ...NO_USAGE, inputTokens: 1, outputTokens });
    expect(costOf('llama3.2:1b', 1)).toEqual({ nanoUsd: 0, priceVersion: 'prices.toml 2027-02-03' });
    expect(costOf(model)).toEqual({ nanoUsd: 7_000, priceVersion: 'prices.toml 2027-02-03' });
    expect(costOf(model, 1).nanoUsd, 'an entry replaces the whole of the other').toBeNull();
    expect(costOf(DEFAULT_ALIASES.haiku).priceVersion).toMatch(/^built-in \d{4}-\d\d-\d\d$/);
    const rows = priceRows(table);
    expect(rows.filter((row) => row.model === model)).toMatchObject([
      { source: 'prices.toml', version: '2027-02-03', input: 7, output: null },
    ]);
    expect(rows.find((row) => row.model === DEFAULT_ALIASES.haiku)?.longPrompt).toMatchObject({ above: 100_000 });
  });

  const DATED = 'version = "2026-01-02"\n';
  test.for([
    ['models = [', 1, 'is not valid TOML'],
    [`${DATED}[models.m]\ninput = -1.0`, 3, 'models.m.input must be at least 0, not -1'],
    [`${DATED}[models.m]\ninput = "3"`, 3, 'models.m.input must be a number, not "3"'],
    [
      `${DATED}[models.m]\ninputs = 1.0`,
      3,
      'models.m.inputs is not a price or a key of this file (did you mean models.m.input?)',
    ],
    [
      `${DATED}[models.llama3.2]\ninput = 1.0`,
      2,
      'models.llama3.2 is not a price or a key of this file (did you mean models."llama3.2"?)',
    ],
    [`${DATED}[model.m]\ninput = 1.0`, 2, 'model is not a price or a key of this file (did you mean models?)'],
    ['version = "today"\n[models]', 1, 'version must be a date in quotes, such as "2026-10-24"'],
    ['[models.m]\ninput = 1', 1, 'version must be a date in quotes, such as "2026-10-24"'],
  ] as const)('reports a mistake in one line with file, line and key: %j', async ([toml, line, words]) => {
    const folder = await folderWith({ 'prices.toml': toml });
    const message = expect.stringContaining(`${folder}/prices.toml:${line}: ${words}`) as string;
    await expect(loadPrices(folder)).rejects.toMatchObject({ code: 'bad_input', message });
  });
});
