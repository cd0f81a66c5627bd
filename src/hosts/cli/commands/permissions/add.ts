/** `triad permissions add`: adds a rule, or only shows what it would decide. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { visible } from '../../terminal/visible.ts';
import { cwd, dryRun, json } from '../parameters.ts';
import { changeRule, findRuleFile } from './change-rule.ts';

interface Options {
  on?: string;
  agent?: string;
  project?: boolean;
  cwd?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function addPermissionsAdd(permissions: Command, io: Io): void {
  permissions
    .command('add')
    .description('add a rule to your settings, and show what it decides about the last calls here')
    .argument('<effect>', 'allow, ask or deny')
    .argument('<tool>', 'name of a tool, with wildcards, or a permission such as FilesystemWrite')
    .option('--on <pattern>', 'what calls are about: paths below the folder, commands or agents (default: anything)')
    .option('--agent <name>', 'agent that acts, with wildcards (default: all agents)')
    .option('--project', 'add it to the file of the project; an allow rule counts only once you trust that file')
    .addOption(cwd())
    .addOption(dryRun())
    .addOption(json())
    .action((effect: string, about: string, options: Options) =>
      withClient(io, (client) => addRule(io, client, { effect, about }, options)),
    );
}

/** Returns the rule. `about`: a tool, with wildcards, or the name of a permission. */
async function addRule(
  io: Io,
  client: Client,
  { effect: word, about }: { effect: string; about: string },
  options: Options,
): Promise<void> {
  const { Permission } = await import('#contract/agent.ts');
  const { Effect } = await import('#contract/permission.ts');
  const { on, agent, project } = options;
  const effect = Effect.safeParse(word).data;
  if (!effect) throw new UsageError(`"${visible(word)}" is no effect: write allow, ask or deny`);
  const permission = Permission.safeParse(about).data;
  const rule = {
    effect,
    ...(permission === undefined ? { tool: about } : { permission }),
    ...(agent === undefined ? {} : { agent }),
    ...(on === undefined ? {} : { pattern: on }),
  };
  const scope = project ? 'project' : 'user';
  const folder = resolve(io.folder, options.cwd ?? '.');
  const file = await findRuleFile(client, folder, scope);
  await changeRule(io, client, { folder, scope, edit: { kind: 'add', rule }, file }, options);
}
