/** `triad agents list` and `show`: the agents that can be used in a folder, and one of them in full. */
import type { AgentDefinition, AgentReport, AgentSummary } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { describeFault } from '#core/agents/load.ts';
import { oneLine } from '../../render/format.ts';
import type { Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { harmless, visible } from '../../terminal/visible.ts';

interface Options {
  json?: boolean;
  folder: string;
}

export async function listAgents({ screen }: Io, client: Client, { json, folder }: Options): Promise<void> {
  const [list, files, look] = await Promise.all([
    client.request('agents.list', { folder }),
    client.request('agents.check', { folder }),
    client.request('trust.look', { folder }),
  ]);
  const agents = list.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  if (json) {
    const entries = agents.map((agent) => ({ ...agent, ...reportFor(agent, files) }));
    screen.data(`${JSON.stringify(entries, null, 2)}\n`);
  } else for (const line of agentTable(agents, screen.width)) screen.data(`${line}\n`);
  const faulty = files.filter(({ ok }) => !ok).length;
  if (faulty > 0) screen.note(`${counted(faulty)} no agent as it is: see "triad agents validate"`);
  const untrusted = look.files.filter(({ state }) => state === 'new' || state === 'changed').length;
  if (untrusted > 0)
    screen.note(`${untrusted === 1 ? '1 file' : `${untrusted} files`} of this folder left out: see "triad trust"`);
}

const counted = (files: number) => (files === 1 ? '1 file defines' : `${files} files define`);

/** What `agents validate` says of the file. */
function reportFor(agent: AgentSummary, files: readonly AgentReport[]): Omit<AgentReport, 'name' | 'source'> {
  const warnings = files.find(({ file }) => file === agent.sourcePath)?.warnings ?? [];
  return { file: agent.sourcePath ?? '', ok: true, errors: [], warnings };
}

export function agentTable(agents: readonly AgentSummary[], width: number): string[] {
  const columns = [
    { title: 'NAME' },
    { title: 'DESCRIPTION', min: 16 },
    { title: 'MODEL', rank: 1 },
    { title: 'SOURCE', rank: 2 },
    { title: 'PERMISSIONS', rank: 3, min: 14 },
    { title: 'TOOLS', rank: 4, min: 12 },
  ];
  const rows = agents.map(({ name, description, role, model, source, permissions, tools }) => [
    visible(name),
    visible(oneLine(description)),
    model === null ? (role === 'primary' ? 'default' : "the lead's") : visible(model),
    source,
    permissions === null ? 'by its tools' : permissions.join(', ') || 'none',
    tools === null ? (role === 'primary' ? 'all' : "the lead's") : tools.map(visible).join(', ') || 'none',
  ]);
  return table(columns, rows, width);
}

export async function showAgent(
  { screen }: Io,
  client: Client,
  name: string,
  { json, folder }: Options,
): Promise<void> {
  const { definition, warnings } = await client.request('agents.get', { folder, name });
  if (json) return screen.data(`${JSON.stringify({ ...definition, warnings }, null, 2)}\n`);
  for (const [key, value] of facts(definition)) screen.data(`${key.padEnd(20)}${visible(value)}\n`);
  const { systemPrompt } = definition;
  screen.data(`\n${screen.isTerminal ? harmless(systemPrompt) : systemPrompt}\n`);
  for (const warning of warnings) screen.note(visible(oneLine(describeFault(definition.sourcePath ?? name, warning))));
}

/** In the words of the file's keys, with what holds where one is left out. */
function facts(agent: AgentDefinition): [string, string][] {
  const list = (names: readonly string[] | null, left: string) => names?.join(', ') ?? left;
  const or = (value: string | number | null, left: string) => String(value ?? left);
  const { approvalTimeoutMs: timeout } = agent;
  return [
    ['name', agent.name],
    ['description', oneLine(agent.description)],
    ['role', agent.role],
    ['model', or(agent.model, agent.role === 'primary' ? 'the default' : "the lead's")],
    ['effort', or(agent.effort, 'not set')],
    ['max_tokens', or(agent.maxTokens, 'by default')],
    ['max_iterations', or(agent.maxIterations, 'by the settings')],
    ['tools', list(agent.tools, agent.role === 'primary' ? 'all' : "all of the lead's")],
    ['permissions', list(agent.permissions, 'by its tools')],
    ['requires_approval', list(agent.requiresApproval, '') || 'nothing more than the rules'],
    ['approval_timeout', timeout === null ? 'by the settings' : `${timeout / 1000} s`],
    ['enable_reflection', agent.reflection ? 'yes' : 'no'],
    ...reflectionFacts(agent.reflection),
    ['enabled', agent.enabled ? 'yes' : 'no'],
    ['source', agent.source],
    ['file', agent.sourcePath ?? 'none'],
  ];
}

function reflectionFacts(reflection: AgentDefinition['reflection']): [string, string][] {
  if (!reflection) return [];
  return [
    ['max_retries', String(reflection.maxRetries)],
    ['reflection_criteria', reflection.criteria === null ? 'the task' : oneLine(reflection.criteria)],
  ];
}
