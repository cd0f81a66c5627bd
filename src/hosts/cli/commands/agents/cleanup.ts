/** `triad agents cleanup`: removes temporary agents whose run has ended. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { json } from '../parameters.ts';

interface Options {
  json?: boolean;
}

export function addAgentsCleanup(agents: Command, io: Io): void {
  agents
    .command('cleanup')
    .description('remove temporary agents whose run has ended')
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => cleanUp(io, client, options)));
}

async function cleanUp({ screen }: Io, client: Client, { json }: Options): Promise<void> {
  const { removed, working } = await client.request('agents.cleanup', {});
  if (json) return screen.data(`${JSON.stringify({ removed, working }, null, 2)}\n`);
  const names = working.map(({ agent, runId }) => `${visible(agent)} (${runId})`).join(', ');
  screen.data(
    removed === 0
      ? 'Nothing to clean up: a temporary agent is kept in the memory of its workflow alone, and leaves it when its run ends.\n'
      : `Removed: ${removed} temporary ${removed === 1 ? 'agent' : 'agents'} whose run had ended.\n`,
  );
  screen.data(working.length === 0 ? 'None works now.\n' : `They work, or wait to begin: ${names}\n`);
}
