/** The commands under `triad permissions`. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { type Done, json, withClient } from './parts.ts';

const CWD = ['--cwd <folder>', 'the folder that it is about (default: this one)'] as const;

export function addPermissions(permissions: Command, io: Io, done: Done): void {
  const at = ({ cwd, ...options }: { cwd?: string; json?: boolean }) => ({
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
}
