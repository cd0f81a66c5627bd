/** `triad permissions remove`: removes a rule from its file. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { cwd, dryRun, json, ruleArgument } from '../parameters.ts';
import { changeRule, findRule, type RuleOptions } from './change-rule.ts';

export function addPermissionsRemove(permissions: Command, io: Io): void {
  permissions
    .command('remove')
    .description('remove a rule from its file; comments and everything else stay')
    .addArgument(ruleArgument())
    .addOption(cwd())
    .addOption(dryRun())
    .addOption(json())
    .action((word: string, options: RuleOptions) =>
      withClient(io, async (client) => {
        const rule = await findRule(client, word, resolve(io.folder, options.cwd ?? '.'));
        await changeRule(io, client, { ...rule, edit: { kind: 'remove', index: rule.index } }, options);
      }),
    );
}
