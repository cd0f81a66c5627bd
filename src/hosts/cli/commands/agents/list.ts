/** `triad agents list`: lists the agents that can be used in a folder, by name. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { AgentReport, AgentSummary } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { dir, json } from '../parameters.ts';

interface Options {
  dir?: string;
  json?: boolean;
}

export function addAgentsList(agents: Command, io: Io): void {
  agents
    .command('list')
    .description('list the agents that can be used, by name')
    .addOption(dir())
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => listAgents(io, client, options)));
}

async function listAgents(io: Io, client: Client, options: Options): Promise<void> {
  const { screen, env } = io;
  const folder = resolve(io.folder, options.dir ?? '.');
  const [list, files, look] = await Promise.all([
    client.request('agents.list', { folder }),
    client.request('agents.check', { folder }),
    client.request('trust.look', { folder }),
  ]);
  const agents = list.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  if (options.json) {
    const entries = agents.map((agent) => ({ ...agent, ...reportFor(agent, files) }));
    screen.data(`${JSON.stringify(entries, null, 2)}\n`);
  } else {
    const { agentTable } = await import('../../render/agent-table.ts');
    const folders = { workspace: folder, home: env['HOME'] || homedir() };
    for (const line of agentTable(agents, folders, screen.width)) screen.data(`${line}\n`);
  }
  const { describeAgentList, selectListedAgents } = await import('#core/agents/prompts/agent-list.ts');
  const startable = agents.filter(({ enabled, role }) => enabled && role !== 'primary');
  const aboutList = describeAgentList(selectListedAgents(startable, []), startable);
  if (aboutList !== null) screen.note(aboutList);
  const faulty = files.filter(({ ok }) => !ok).length;
  if (faulty > 0) screen.note(`${counted(faulty)}: see "triad agents validate"`);
  const { needsTrust } = await import('../../render/trust-state.ts');
  const untrusted = look.files.filter(needsTrust).length;
  if (untrusted > 0)
    screen.note(`${untrusted === 1 ? '1 file' : `${untrusted} files`} of this folder left out: see "triad trust"`);
}

const counted = (files: number) =>
  files === 1 ? '1 file defines no agent as it is' : `${files} files define no agent as they are`;

/** What `agents validate` says of the file. */
function reportFor(agent: AgentSummary, files: readonly AgentReport[]): Omit<AgentReport, 'name' | 'source'> {
  const warnings = files.find(({ file }) => file === agent.sourcePath)?.warnings ?? [];
  return { file: agent.sourcePath ?? '', ok: true, errors: [], warnings };
}
