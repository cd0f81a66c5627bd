/** `triad permissions move`: moves a rule within its file. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { cwd, dryRun, json, ruleArgument } from '../parameters.ts';
import { changeRule, findRule, type RuleOptions } from './change-rule.ts';

export function addPermissionsMove(permissions: Command, io: Io): void {
  permissions
    .command('move')
    .description('move a rule within its file; if two rules decide the same about a call, the first is reported')
    .addArgument(ruleArgument())
    .argument('<place>', 'new number of the rule in its file')
    .addOption(cwd())
    .addOption(dryRun())
    .addOption(json())
    .action((word: string, to: string, options: RuleOptions) =>
      withClient(io, (client) => moveRule(io, client, { word, to }, options)),
    );
}

async function moveRule(
  io: Io,
  client: Client,
  { word, to }: { word: string; to: string },
  options: RuleOptions,
): Promise<void> {
  const rule = await findRule(client, word, resolve(io.folder, options.cwd ?? '.'));
  const { index, file } = rule;
  const number = /^[1-9]\d{0,3}$/.test(to) ? Number(to) : 0;
  if (number < 1 || number > file.rules.length)
    throw new UsageError(`"${visible(to)}" is no place in ${visible(file.file)}: write 1 to ${file.rules.length}`);
  await changeRule(io, client, { ...rule, edit: { kind: 'move', index, to: number - 1 } }, options);
}
