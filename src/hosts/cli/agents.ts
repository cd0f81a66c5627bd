/** `triad agents list`: the agents that can be used, in order of their names. */
import type { AgentSummary } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { oneLine } from './format.ts';
import type { Io } from './io.ts';
import { table } from './table.ts';
import { visible } from './visible.ts';

export async function listAgents({ screen }: Io, client: Client, options: { json?: boolean }): Promise<void> {
  const agents = (await client.request('agents.list', {})).toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
  if (options.json) return screen.data(`${JSON.stringify(agents, null, 2)}\n`);
  if (agents.length === 0) return screen.note('No agents are defined.');
  for (const line of agentTable(agents, screen.width)) screen.data(`${line}\n`);
}

export function agentTable(agents: readonly AgentSummary[], width: number): string[] {
  const columns = [
    { title: 'NAME' },
    { title: 'DESCRIPTION', min: 16 },
    { title: 'MODEL', rank: 1 },
    { title: 'SOURCE', rank: 2 },
    { title: 'TOOLS', rank: 3, min: 12 },
  ];
  const rows = agents.map(({ name, description, model, source, tools, enabled }) => [
    visible(name),
    `${enabled ? '' : '(disabled) '}${visible(oneLine(description))}`,
    model === null ? 'default' : visible(model),
    source,
    tools === null ? 'all' : tools.map(visible).join(', ') || 'none',
  ]);
  return table(columns, rows, width);
}
