/** `triad agents list`: the agents that can be used in a folder, by name. */
import { homedir } from 'node:os';
import type { AgentReport, AgentSummary } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { describeAgentList, selectListedAgents } from '#core/agents/prompts/agent-list.ts';
import { needsTrust } from '../../render/trust-state.ts';
import type { Io } from '../../terminal/io.ts';

export interface AgentOptions {
  json?: boolean;
  folder: string;
}

export async function listAgents({ screen, env }: Io, client: Client, { json, folder }: AgentOptions): Promise<void> {
  const [list, files, look] = await Promise.all([
    client.request('agents.list', { folder }),
    client.request('agents.check', { folder }),
    client.request('trust.look', { folder }),
  ]);
  const agents = list.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  if (json) {
    const entries = agents.map((agent) => ({ ...agent, ...reportFor(agent, files) }));
    screen.data(`${JSON.stringify(entries, null, 2)}\n`);
  } else {
    const { agentTable } = await import('../../render/agent-table.ts');
    const folders = { workspace: folder, home: env['HOME'] || homedir() };
    for (const line of agentTable(agents, folders, screen.width)) screen.data(`${line}\n`);
  }
  const startable = agents.filter(({ enabled, role }) => enabled && role !== 'primary');
  const aboutList = describeAgentList(selectListedAgents(startable, []), startable);
  if (aboutList !== null) screen.note(aboutList);
  const faulty = files.filter(({ ok }) => !ok).length;
  if (faulty > 0) screen.note(`${counted(faulty)}: see "triad agents validate"`);
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
