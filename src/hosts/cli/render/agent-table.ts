/** The agents of a folder as a table. Pure. */
import type { AgentSummary } from '#contract/agent.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/visible.ts';
import { oneLine } from './format.ts';

export function agentTable(agents: readonly AgentSummary[], width: number): string[] {
  const columns = [
    { title: 'NAME' },
    { title: 'DESCRIPTION', min: 16 },
    { title: 'WITH', rank: 5 },
    { title: 'MODEL', rank: 1 },
    { title: 'SOURCE', rank: 2 },
    { title: 'PERMISSIONS', rank: 3, min: 14 },
    { title: 'TOOLS', rank: 4, min: 12 },
  ];
  const rows = agents.map(({ name, description, role, model, provider, source, needs, tools, chain, flow }) => [
    visible(name),
    oneLine(visible(description)),
    visible(withWhom(flow, chain)),
    visible(modelWords({ role, model, provider })),
    source,
    needs?.join(', ') ?? "the lead's",
    tools === null ? (role === 'primary' ? 'all' : "the lead's") : tools.map(visible).join(', ') || 'none',
  ]);
  return table(columns, rows, width);
}

/** The model that it names, and where: a model belongs to its provider. */
function modelWords({ role, model, provider }: Pick<AgentSummary, 'role' | 'model' | 'provider'>): string {
  if (provider !== undefined) return `${model ?? 'default'} at ${provider}`;
  return model ?? (role === 'primary' ? 'default' : "the lead's");
}

/** Its control flow and coagent, and those that follow it; a dash for an agent that stands alone. */
function withWhom(flow: AgentSummary['flow'], chain: readonly string[] = []): string {
  const coagent = flow?.coagent === undefined || flow.coagent === null ? '' : ` ${flow.coagent}`;
  return [...(flow ? [`${flow.type}${coagent}`] : []), ...chain.map((name) => `> ${name}`)].join(' ') || '-';
}
