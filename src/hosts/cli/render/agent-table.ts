/** The agents of a folder as a table. Pure. */
import { relative, sep } from 'node:path';
import type { AgentSummary, Permission } from '#contract/agent.ts';
import { table } from '../terminal/table.ts';
import { oneLine, visible } from '../terminal/visible.ts';

/** Base folders for shown paths. */
export interface PathFolders {
  workspace: string;
  home: string;
}

export function agentTable(agents: readonly AgentSummary[], folders: PathFolders, width: number): string[] {
  // A wide terminal widens these two columns before it adds others.
  const room = width - OTHER_COLUMNS;
  const columns = [
    { title: 'NAME' },
    { title: 'PERMISSIONS' },
    { title: 'MODEL', rank: 1 },
    { title: 'SOURCE', min: clamp(room * 0.4, 7, 40), share: true },
    { title: 'WITH', rank: 3 },
    { title: 'DESCRIPTION', min: clamp(room * 0.6, 16, 48), share: true },
    { title: 'TOOLS', rank: 2, min: 12 },
  ];
  const rows = agents.map((agent) => {
    const { name, description, role, model, provider, needs, tools, chain, flow } = agent;
    return [
      visible(name),
      needs === null ? "the lead's" : listPermissionMarks(needs).join(' '),
      visible(modelWords({ role, model, provider })),
      visible(describeSource(agent, folders)),
      visible(withWhom(flow, chain)),
      oneLine(visible(description)),
      tools === null ? (role === 'primary' ? 'all' : "the lead's") : tools.map(visible).join(', ') || 'none',
    ];
  });
  return table(columns, rows, width);
}

/** Usual width of the columns beside source and description, with the gaps. */
const OTHER_COLUMNS = 66;

function clamp(value: number, least: number, most: number): number {
  return Math.floor(Math.min(Math.max(value, least), most));
}

const PERMISSION_MARKS: readonly (readonly [string, readonly Permission[]])[] = [
  ['read', ['FilesystemRead', 'SemanticSearch', 'DatabaseRead']],
  ['write', ['FilesystemWrite', 'DatabaseWrite']],
  ['run', ['Execute']],
  ['net', ['NetworkAccess']],
];

/** Returns the permissions as `read`, `write`, `run` and `net`. */
function listPermissionMarks(needs: readonly Permission[]): string[] {
  return PERMISSION_MARKS.flatMap(([mark, permissions]) =>
    permissions.some((one) => needs.includes(one)) ? [mark] : [],
  );
}

/** Formats the source of an agent and the path of its file, from the workspace or the home folder. */
function describeSource(
  { source, sourcePath }: Pick<AgentSummary, 'source' | 'sourcePath'>,
  { workspace, home }: PathFolders,
): string {
  if (source === 'builtin' || sourcePath === null) return source;
  if (source === 'project') return `${source} ${relative(workspace, sourcePath)}`;
  return `${source} ${sourcePath.startsWith(home + sep) ? `~${sourcePath.slice(home.length)}` : sourcePath}`;
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
