/** The method that shows what models cost, and which of those in use have no price. */
import type { Handlers } from './handlers.ts';
import { isPriced, priceRows, type PriceTable } from '#core/model/prices.ts';
import type { Engine } from '#core/runs/engine.ts';
import { modelIdOf } from '#core/settings/model-aliases.ts';

/** `folder`: whose agents count as in use. */
export function priceMethods(
  { settings, agents, store }: Engine,
  { prices, folder }: { prices: PriceTable; folder: string },
): Pick<Handlers, 'prices.list'> {
  const inUse = async (): Promise<string[]> => {
    const { aliases, default: usual } = settings.models;
    const [registry, { models: past }] = await Promise.all([agents.of(folder), store.facets()]);
    const ofAgents = registry.list({ enabled: true }).flatMap(({ model }) => model ?? []);
    const named = [usual, ...Object.keys(aliases), ...ofAgents].map((name) => modelIdOf(name, aliases) ?? name);
    return [...new Set([...named, ...past])];
  };
  return {
    'prices.list': async () => ({
      file: prices.file,
      models: priceRows(prices),
      unpriced: (await inUse()).filter((model) => !isPriced(prices, model)).sort(),
    }),
  };
}
