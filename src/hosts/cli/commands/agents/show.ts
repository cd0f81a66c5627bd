/** `triad agents show`: prints the settings and the system prompt of one agent. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dataText } from '../../terminal/screen.ts';
import { oneLine, visible } from '../../terminal/visible.ts';
import { dir, json, NameArgument } from '../parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addAgentsShow(agents: Command, io: Io): void {
  agents
    .command('show')
    .description('print the settings and the system prompt of an agent')
    .addArgument(new NameArgument('agent', '<name>', 'name of the agent'))
    .addOption(dir())
    .addOption(json())
    .action((name: string, options: Options) => withClient(io, (client) => showAgent(io, client, name, options)));
}

async function showAgent(io: Io, client: Client, name: string, options: Options): Promise<void> {
  const { screen } = io;
  const folder = resolve(io.folder, options.dir ?? '.');
  const [{ definition, needs, warnings }, agents] = await Promise.all([
    client.request('agents.get', { folder, name }),
    client.request('agents.list', { folder }),
  ]);
  const { chain = [] } = agents.find((agent) => agent.name === definition.name) ?? {};
  if (options.json) return screen.data(`${JSON.stringify({ ...definition, needs, warnings, chain }, null, 2)}\n`);
  const { agentFacts } = await import('../../render/agent-facts.ts');
  for (const [key, value] of agentFacts(definition, needs))
    screen.data(`${visible(key).padEnd(19)} ${visible(value)}\n`);
  const { agentPicture } = await import('../../render/agent-picture.ts');
  for (const line of agentPicture(definition, chain, agents)) screen.data(`${visible(line)}\n`);
  const { systemPrompt } = definition;
  screen.data(`\n${dataText(screen, systemPrompt)}\n`);
  const { describeFault } = await import('#core/agents/load.ts');
  for (const warning of warnings) screen.note(oneLine(visible(describeFault(definition.sourcePath ?? name, warning))));
}
