/** `triad permissions revoke`: revokes a grant. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { json } from '../parameters.ts';
import { wholeId } from './whole-id.ts';

interface Options {
  json?: boolean;
}

export function addPermissionsRevoke(permissions: Command, io: Io): void {
  permissions
    .command('revoke')
    .description('revoke a grant: what it allowed requires approval again')
    .argument('<id>', 'id of the grant, as the list shows it')
    .addOption(json())
    .action((id: string, options: Options) => withClient(io, (client) => revokeGrant(io, client, id, options)));
}

async function revokeGrant({ screen }: Io, client: Client, word: string, { json }: Options): Promise<void> {
  const grantId = await wholeId(word, 'a grant', 'permissions list');
  const grant = await client.request('permissions.revoke', { grantId });
  if (json) return screen.data(`${JSON.stringify(grant, null, 2)}\n`);
  const { agent, tool, pattern } = grant;
  screen.note(`Revoked: it no longer allows ${visible(agent)} to use ${tool} on ${visible(pattern)}.`);
}
