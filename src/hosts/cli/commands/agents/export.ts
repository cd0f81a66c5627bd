/** `triad agents export`: prints an agent in the format of another program, with the parts that the format cannot express. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { type AgentExportFormat, EXPORT_FORMATS } from '#core/agents/export/exported.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { oneLine, visible } from '../../terminal/visible.ts';
import { dir, json, NameArgument } from '../parameters.ts';

interface Options {
  format: AgentExportFormat;
  dir?: string;
  json?: boolean;
}

export function addAgentsExport(agents: Command, io: Io): void {
  agents
    .command('export')
    .description(
      'print an agent in the format of another program; standard error lists what that format cannot express',
    )
    .addArgument(new NameArgument('agent', '<name>', 'name of the agent'))
    .addOption(
      new Option('--format <format>', 'the other program (required)').choices(EXPORT_FORMATS).makeOptionMandatory(),
    )
    .addOption(dir())
    .addOption(json())
    .action((name: string, options: Options) => withClient(io, (client) => exportTo(io, client, name, options)));
}

async function exportTo({ screen, folder }: Io, client: Client, name: string, options: Options): Promise<void> {
  const { exportAgent } = await import('#core/agents/export/export-agent.ts');
  const { allTools } = await import('#core/tools/all-tools.ts');
  const workspace = resolve(folder, options.dir ?? '.');
  const { definition } = await client.request('agents.get', { folder: workspace, name });
  const exported = exportAgent(definition, options.format, allTools());
  if (options.json) return screen.data(`${JSON.stringify(exported, null, 2)}\n`);
  screen.data(dataText(screen, exported.text));
  screen.note(`Save it as ${visible(exported.file)}.`);
  for (const { key, reason } of exported.lost) screen.note(oneLine(visible(`not exported: ${key}: ${reason}`)));
}
