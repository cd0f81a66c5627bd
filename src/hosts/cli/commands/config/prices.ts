/** `triad config prices`: lists the price of each model with its source, then the models in use without a price. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { json } from '../parameters.ts';

interface Options {
  json?: boolean;
}

export function addConfigPrices(config: Command, io: Io): void {
  config
    .command('prices')
    .description('list the price of each model, the source of the price, and models in use without a price')
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => showPrices(io, client, options)));
}

async function showPrices({ screen }: Io, client: Client, { json }: Options): Promise<void> {
  const prices = await client.request('prices.list', {});
  if (json) return screen.data(`${JSON.stringify(prices, null, 2)}\n`);
  const { priceTable } = await import('../../render/price-table.ts');
  for (const line of priceTable(prices, screen.width)) screen.data(`${line}\n`);
  if (prices.unpriced.length > 0)
    screen.note(
      `Limits on cost are not checked for models with an unknown price (${visible(prices.unpriced.join(', '))}): list them in ${visible(prices.file)}.`,
    );
}
