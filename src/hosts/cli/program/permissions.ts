/** The commands under `triad permissions`. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { type Done, json, withClient } from './parts.ts';

const CWD = ['--cwd <folder>', 'the folder that it is about (default: this one)'] as const;

export function addPermissions(permissions: Command, io: Io, done: Done): void {
  const at = ({ cwd, ...options }: { cwd?: string; json?: boolean; dryRun?: boolean }) => ({
    ...options,
    folder: resolve(io.folder, cwd ?? '.'),
  });
  permissions
    .command('list')
    .description('the rules that hold in a folder, and what you granted there')
    .option(...CWD)
    .option('--all', 'what you granted anywhere')
    .addOption(json())
    .action(async (options: { cwd?: string; json?: boolean; all?: boolean }) => {
      const { listPermissions } = await import('../commands/permissions.ts');
      done(await withClient(io, (client) => listPermissions(io, client, { ...options, ...at(options) })));
    });
  permissions
    .command('explain')
    .description('what would become of a call, and which rule, grant or default makes it so')
    .argument('<agent>', 'of a temporary one its name where it was started, or spawned:NAME')
    .argument('<tool>')
    .argument('[arguments...]', 'a JSON object, or KEY=VALUE for each')
    .option(...CWD)
    .option('--conversation <id>', 'as in this conversation, with its lead and its grants')
    .option('--workflow <id>', 'as in this workflow, with its agents as they were started, and its grants')
    .addOption(json())
    .action(
      async (
        agent: string,
        tool: string,
        words: string[],
        options: { cwd?: string; json?: boolean; conversation?: string; workflow?: string },
      ) => {
        const { explainCall } = await import('../commands/permissions.ts');
        const { conversation, workflow } = options;
        const call = { agent, tool, words, conversation, workflow };
        done(await withClient(io, (client) => explainCall(io, client, call, at(options))));
      },
    );
  permissions
    .command('revoke')
    .description('take a grant back: what it allowed is asked about again')
    .argument('<id>', 'as the list shows it')
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) => {
      const { revokeGrant } = await import('../commands/permissions.ts');
      done(await withClient(io, (client) => revokeGrant(io, client, id, options)));
    });
  addRuleCommands(permissions, io, done, at);
}

type At = (options: { cwd?: string; json?: boolean; dryRun?: boolean }) => {
  folder: string;
  json?: boolean;
  dryRun?: boolean;
};

const RULE = 'as the list shows it, such as user:2-7f3a9c12';
const DRY_RUN = ['--dry-run', 'write nothing: say what it would decide about the last calls here'] as const;

function addRuleCommands(permissions: Command, io: Io, done: Done, at: At): void {
  permissions
    .command('add')
    .description('write a rule into your settings, with what it decides about the last calls here')
    .argument('<effect>', 'allow, ask or deny')
    .argument('<tool>', 'with wildcards, or a permission such as FilesystemWrite')
    .option('--on <pattern>', 'what calls are about: paths below the folder, commands, agents (default: anything)')
    .option('--agent <name>', 'the agent that acts, with wildcards (default: all)')
    .option('--project', 'into the project’s file: what that allows counts only once you trust it')
    .option(...CWD)
    .option(...DRY_RUN)
    .addOption(json())
    .action(
      async (
        effect: string,
        about: string,
        options: { on?: string; agent?: string; project?: boolean; cwd?: string; json?: boolean; dryRun?: boolean },
      ) => {
        const { addRule } = await import('../commands/rules.ts');
        const { on, agent, project, ...rest } = options;
        done(await withClient(io, (client) => addRule(io, client, { effect, about, on, agent, project }, at(rest))));
      },
    );
  permissions
    .command('remove')
    .description('take a rule out of its file; comments and all else stay')
    .argument('<id>', RULE)
    .option(...CWD)
    .option(...DRY_RUN)
    .addOption(json())
    .action(async (id: string, options: { cwd?: string; json?: boolean; dryRun?: boolean }) => {
      const { removeRule } = await import('../commands/rules.ts');
      done(await withClient(io, (client) => removeRule(io, client, id, at(options))));
    });
  permissions
    .command('move')
    .description('give a rule another place in its file; of two that say the same of a call, the first is named')
    .argument('<id>', RULE)
    .argument('<place>', 'its number in the file afterwards')
    .option(...CWD)
    .option(...DRY_RUN)
    .addOption(json())
    .action(async (id: string, place: string, options: { cwd?: string; json?: boolean; dryRun?: boolean }) => {
      const { moveRule } = await import('../commands/rules.ts');
      done(await withClient(io, (client) => moveRule(io, client, id, place, at(options))));
    });
}
