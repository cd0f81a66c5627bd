/** Prices of model requests: an editable, dated table, and costs in whole billionths of a dollar. */
import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { TriadError } from '../base/errors.ts';
import type { ModelUsage } from './model.ts';
import { isScriptedModel } from './provider-traits.ts';

const Price = z.number().nonnegative().optional();
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
  /** Prices of a whole request whose prompt has more than `above` tokens. */
  long_prompt: z.strictObject({ above: z.int().positive(), ...Prices }).optional(),
});

export const PriceTable = z.strictObject({
  /** The date on which these prices were read. */
  version: z.iso.date(),
  models: z.record(z.string(), ModelPrices),
});
export type PriceTable = z.infer<typeof PriceTable>;

export function loadPrices(toml: string): PriceTable {
  let value: unknown;
  try {
    value = parse(toml);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : 'it is not TOML';
    throw new TriadError('bad_input', `The table of prices cannot be read: ${why}`, { cause });
  }
  const table = PriceTable.safeParse(value);
  if (table.success) return table.data;
  const issue = table.error.issues[0];
  throw new TriadError(
    'bad_input',
    `The table of prices is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`,
  );
}

/** The table that comes with the program. */
export async function builtinPrices(): Promise<PriceTable> {
  return loadPrices(await readFile(new URL('prices.toml', import.meta.url), 'utf8'));
}

/** The cost of one request; null where the model is not in the table or a price that it needs is unknown. */
export function priceOf(
  table: PriceTable,
  model: string,
  usage: ModelUsage,
): { nanoUsd: number | null; priceVersion: string | null } {
  if (isScriptedModel(model)) return { nanoUsd: 0, priceVersion: model };
  const listed = table.models[model] ?? table.models[model.replace(/-\d{8}$/, '')];
  if (!listed) return { nanoUsd: null, priceVersion: null };
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const price = listed.long_prompt && prompt > listed.long_prompt.above ? listed.long_prompt : listed;
  const classes: [tokens: number, usdPerMillion: number | undefined][] = [
    [usage.inputTokens, price.input],
    [usage.outputTokens, price.output],
    [usage.cacheReadTokens, price.cache_read],
    [usage.cacheWrite5mTokens, price.cache_write_5m],
    [usage.cacheWrite1hTokens, price.cache_write_1h],
  ];
  // A dollar per million tokens is a thousand billionths per token; thousandths of those keep the sum in integers.
  let picoUsd = 0;
  for (const [tokens, usdPerMillion] of classes) {
    if (tokens === 0) continue;
    if (usdPerMillion === undefined) return { nanoUsd: null, priceVersion: table.version };
    picoUsd += tokens * Math.round(usdPerMillion * 1_000_000);
  }
  return { nanoUsd: Math.round(picoUsd / 1000), priceVersion: table.version };
}
