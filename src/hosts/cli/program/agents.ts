/** The commands under `triad agents`, and `triad trust`. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { EXPORT_FORMATS, type AgentExportFormat } from '#core/agents/export/exported.ts';
import { EXIT } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Done, json, withClient } from './parts.ts';

const DIR = ['--dir <folder>', 'the workspace (default: this folder)'] as const;

export function addAgents(agents: Command, io: Io, done: Done): void {
  const inFolder = (options: { dir?: string; json?: boolean }) => ({
    ...options,
    folder: resolve(io.folder, options.dir ?? '.'),
  });
  agents
    .command('list')
    .description('those that can be used, by name')
    .option(...DIR)
    .addOption(json())
    .action(async (options: object) => {
      const { listAgents } = await import('../commands/agents/list.ts');
      done(await withClient(io, (client) => listAgents(io, client, inFolder(options))));
    });
  agents
    .command('show')
    .description('one of them: its settings and its prompt')
    .argument('<name>')
    .option(...DIR)
    .addOption(json())
    .action(async (name: string, options: object) => {
      const { showAgent } = await import('../commands/agents/show.ts');
      done(await withClient(io, (client) => showAgent(io, client, name, inFolder(options))));
    });
  addExport(agents, io, done);
  agents
    .command('validate')
    .description('check all files, or one, with line, column and what was probably meant')
    .argument('[name]')
    .option('--dir <folder>', 'only the files of this folder, or of this workspace')
    .addOption(json())
    .action(async (name: string | undefined, options: object) => {
      const { validateAgents } = await import('../commands/agents/validate.ts');
      done(await validateAgents(io, name, options));
    });
  agents
    .command('new')
    .description('write the template of an agent into .triad/agents, or of a composition, never over a file')
    .argument('<name>')
    .option('--composition', 'an agent with a control flow, into .triad/compositions')
    .option('--from <name>', 'the built-in agent that it begins as; of compositions the default is BUILD-SMART')
    .option('--user', 'for all folders: into the configuration folder')
    .option(...DIR)
    .action(async (name: string, options: object) => {
      await (await import('../commands/agents/new.ts')).newAgent(io, name, options);
      done(EXIT.ok);
    });
  agents
    .command('cleanup')
    .description('forget temporary agents that their workflow has left behind')
    .addOption(json())
    .action(async (options: object) => {
      const { cleanupAgents } = await import('../commands/agents/cleanup.ts');
      done(await withClient(io, (client) => cleanupAgents(io, client, options)));
    });
}

function addExport(agents: Command, io: Io, done: Done): void {
  agents
    .command('export')
    .description('one of them in the format of another program; stderr lists what that format cannot express')
    .argument('<name>')
    .addOption(new Option('--format <format>', 'the program').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option(...DIR)
    .addOption(json())
    .action(async (name: string, options: { format: AgentExportFormat; dir?: string; json?: boolean }) => {
      const { exportToFormat } = await import('../commands/agents/export.ts');
      const inPlace = { ...options, folder: resolve(io.folder, options.dir ?? '.') };
      done(await withClient(io, (client) => exportToFormat(io, client, name, inPlace)));
    });
}

export function addTrust(program: Command, io: Io, done: Done): void {
  program
    .command('trust')
    .description('which files of a folder may have an effect: shows what is new or changed, and asks')
    .argument('[dir]', 'the folder (default: this one)')
    .option('--list', 'the folders of which something is trusted')
    .option('--revoke', 'nothing of the folder is trusted any more')
    .option('--yes', 'trust what is there without asking')
    .addOption(json())
    .action(async (dir: string | undefined, options: object) =>
      done(await (await import('../commands/trust.ts')).trust(io, dir, options)),
    );
}
