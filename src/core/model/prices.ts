/** Prices of model requests: dated lists, the person's before the program's, and costs in whole billionths of a dollar. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { PriceRow, PriceSource } from '#contract/prices.ts';
import { nearest } from '../base/nearest.ts';
import { pricesFile } from '../settings/guarded-files.ts';
import { checkToml, mustFit, readOwnFile } from '../settings/toml-file.ts';
import type { ModelUsage } from './model.ts';
import { isScriptedModel } from './provider-traits.ts';

const Price = z.number().nonnegative().max(100_000).optional();
const Prices = {
  input: Price,
  output: Price,
  cache_read: Price,
  cache_write_5m: Price,
  cache_write_1h: Price,
};

/** US dollars per million tokens; what is left out is unknown. */
const ModelPrices = z.strictObject({
  ...Prices,
  /** Of a thousand searches of the web that the provider makes itself. */
  web_search: Price,
  /** Prices of a whole request whose prompt has more than `above` tokens. */
  long_prompt: z.strictObject({ above: z.int().positive(), ...Prices }).optional(),
});
type ModelPrices = z.infer<typeof ModelPrices>;

const PriceFile = z.strictObject({
  /** The date on which these prices were read. */
  version: z.iso.date('must be a date in quotes, such as "2026-10-24"'),
  models: z.record(z.string().min(1).max(200), ModelPrices).default({}),
});

interface PriceList extends z.infer<typeof PriceFile> {
  source: PriceSource;
}

export interface PriceTable {
  /** The first that has a model counts for it, with all that it says and leaves out. */
  lists: readonly PriceList[];
  /** Where the person's list is, or would be. */
  file: string;
}

/** Everything that is wrong with the text of a list, or its value. Never throws for a bad text. */
export const checkPrices = (text: string) =>
  checkToml(text, PriceFile, { isNot: 'is not a price or a key of this file', suggest });

/** Of an unknown key: a price, a key of the top, or a model whose name has a dot and is not in quotes. */
function suggest(path: string): string | null {
  const [top, model, ...rest] = path.split('.');
  if (top !== 'models' || model === undefined) return nearest(path, Object.keys(PriceFile.shape));
  const near = nearest(rest.at(-1) ?? '', Object.keys(ModelPrices.shape));
  if (near !== null) return ['models', model, ...rest.slice(0, -1), near].join('.');
  return rest[0] !== 'long_prompt' && /\d/.test(rest.join('.')) ? `models."${[model, ...rest].join('.')}"` : null;
}

/**
 * The person's list over the one that comes with the program. Throws `bad_input` with file, line and key where theirs does
 * not fit, and `not_allowed` where others may write it.
 */
export async function loadPrices(configFolder: string): Promise<PriceTable> {
  const file = pricesFile(configFolder);
  const [own, builtin] = await Promise.all([readOwnFile(file), builtinPrices()]);
  const lists: PriceList[] = own === null ? [] : [{ source: 'prices.toml', ...mustFit(checkPrices(own), file) }];
  return { file, lists: [...lists, builtin] };
}

let builtin: Promise<PriceList> | null = null;

/** Read once in the life of the program, which they come with. */
const builtinPrices = (): Promise<PriceList> => (builtin ??= readBuiltin());

async function readBuiltin(): Promise<PriceList> {
  const url = new URL('./prices.toml', import.meta.url);
  return { source: 'built-in', ...mustFit(checkPrices(await readFile(url, 'utf8')), url.pathname) };
}

/** The cost of one request; null where the model is in no list or a price that it needs is unknown. */
export function priceOf(
  table: Pick<PriceTable, 'lists'>,
  model: string,
  usage: ModelUsage,
): { nanoUsd: number | null; priceVersion: string | null } {
  if (isScriptedModel(model)) return { nanoUsd: 0, priceVersion: model };
  const found = listed(table, model);
  if (found === null) return { nanoUsd: null, priceVersion: null };
  const { prices, priceVersion } = found;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const price = prices.long_prompt && prompt > prices.long_prompt.above ? prices.long_prompt : prices;
  const classes: [tokens: number, usdPerMillion: number | undefined][] = [
    [usage.inputTokens, price.input],
    [usage.outputTokens, price.output],
    [usage.cacheReadTokens, price.cache_read],
    [usage.cacheWrite5mTokens, price.cache_write_5m],
    [usage.cacheWrite1hTokens, price.cache_write_1h],
  ];
  // A dollar per million tokens is a thousand billionths per token; thousandths of those keep the sum in integers.
  let picoUsd = (usage.webSearches ?? 0) * Math.round((prices.web_search ?? 0) * 1_000_000_000);
  if (usage.webSearches && prices.web_search === undefined) return { nanoUsd: null, priceVersion };
  for (const [tokens, usdPerMillion] of classes) {
    if (tokens === 0) continue;
    if (usdPerMillion === undefined) return { nanoUsd: null, priceVersion };
    picoUsd += tokens * Math.round(usdPerMillion * 1_000_000);
  }
  return { nanoUsd: Math.round(picoUsd / 1000), priceVersion };
}

/** Whether the cost of a request that reads and writes can be known at all. */
export function isPriced(table: Pick<PriceTable, 'lists'>, model: string): boolean {
  const found = listed(table, model);
  return isScriptedModel(model) || (found?.prices.input !== undefined && found.prices.output !== undefined);
}

/** Every model of the lists with the prices that count, by name. */
export function priceRows({ lists }: PriceTable): PriceRow[] {
  const rows = new Map<string, PriceRow>();
  for (const { source, version, models } of lists)
    for (const [model, { long_prompt: long, web_search: webSearch = null, ...prices }] of Object.entries(models)) {
      if (rows.has(model)) continue;
      const longPrompt = long ? { above: long.above, ...rowPrices(long) } : null;
      rows.set(model, { model, source, version, ...rowPrices(prices), webSearch, longPrompt });
    }
  return [...rows.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

function rowPrices(prices: Omit<ModelPrices, 'long_prompt' | 'web_search'>) {
  return {
    input: prices.input ?? null,
    output: prices.output ?? null,
    cacheRead: prices.cache_read ?? null,
    cacheWrite5m: prices.cache_write_5m ?? null,
    cacheWrite1h: prices.cache_write_1h ?? null,
  };
}

/** By the id, or by the id without the date at its end. */
function listed(
  { lists }: Pick<PriceTable, 'lists'>,
  model: string,
): { prices: ModelPrices; priceVersion: string } | null {
  for (const { source, version, models } of lists) {
    const name = [model, model.replace(/-\d{8}$/, '')].find((one) => Object.hasOwn(models, one));
    if (name !== undefined) return { prices: models[name]!, priceVersion: `${source} ${version}` };
  }
  return null;
}
