/** Prices of models as a person looks them up, in US dollars per million tokens. */
import { z } from 'zod';

/** The list that comes with the program, or the person's own file over it. */
export const PriceSource = z.enum(['built-in', 'prices.toml']);
export type PriceSource = z.infer<typeof PriceSource>;

/** Null where the list does not say it: the cost of a request that needs it is unknown. */
const price = z.number().nullable();
const prices = { input: price, output: price, cacheRead: price, cacheWrite5m: price, cacheWrite1h: price };

export const PriceRow = z.object({
  model: z.string(),
  source: PriceSource,
  /** The date of that list. */
  version: z.iso.date(),
  ...prices,
  /** Of a thousand searches of the web that the provider makes itself. */
  webSearch: price,
  /** Of a whole request whose prompt has more than `above` tokens; null where length changes nothing. */
  longPrompt: z.object({ above: z.int(), ...prices }).nullable(),
});
export type PriceRow = z.infer<typeof PriceRow>;

export const PriceOverview = z.object({
  /** The person's own list, or where it would be. */
  file: z.string(),
  /** Alphabetical. */
  models: z.array(PriceRow),
  /** Models that settings, agents or the history name, and that no list has whole: their cost is not known. */
  unpriced: z.array(z.string()),
});
export type PriceOverview = z.infer<typeof PriceOverview>;
