/** `triad permissions list`: lists the rules of a folder, and the grants of the person. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client, Output } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { cwd, json } from '../parameters.ts';

interface Options {
  cwd?: string;
  all?: boolean;
  json?: boolean;
}

export function addPermissionsList(permissions: Command, io: Io): void {
  permissions
    .command('list')
    .description('list the rules that apply in a folder, and what you granted there')
    .addOption(cwd())
    .option('--all', 'list what you granted in any folder')
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => listPermissions(io, client, options)));
}

async function listPermissions(io: Io, client: Client, { cwd = '.', all, json }: Options): Promise<void> {
  const { screen } = io;
  const folder = resolve(io.folder, cwd);
  const here = await client.request('permissions.list', { folder });
  const found = all ? { ...here, grants: (await client.request('permissions.list', {})).grants } : here;
  if (json) return screen.data(`${JSON.stringify(await withReferences(found), null, 2)}\n`);
  const { mode, rules, grants, unsignedGrants, faults, trusted } = found;
  for (const fault of faults) screen.note(`triad: ${visible(fault)}`);
  screen.note(`Where no rule says anything: approval mode ${mode}.`);
  if (!trusted) screen.note('The project’s rules may only deny or ask: its file is not trusted (triad trust).');
  if (unsignedGrants > 0)
    screen.note(`Grants that another installation wrote to the shared store are ignored: ${unsignedGrants}.`);
  const { grantTable, ruleTable } = await import('../../render/permission-tables.ts');
  const lines = [
    ...(rules.length === 0 ? ['There are no rules.'] : ruleTable(rules, folder, screen.width)),
    '',
    ...(grants.length === 0 ? ['Nothing is granted.'] : grantTable(grants, screen.width)),
  ];
  for (const line of lines) screen.data(`${line}\n`);
}

/** Adds to each rule the id that `remove` and `move` take. */
async function withReferences(found: Output<'permissions.list'>): Promise<object> {
  const { referenceOf } = await import('../../render/rule-reference.ts');
  return { ...found, rules: found.rules.map((rule) => ({ ...rule, ref: referenceOf(rule) })) };
}
