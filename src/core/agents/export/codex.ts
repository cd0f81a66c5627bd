/** A custom agent of Codex: TOML, in `.codex/agents`. */
import type { AgentDefinition } from '#contract/agent.ts';
import { tomlLine } from '../../settings/edit-toml.ts';
import { isWithinPermissions, type KnownTool } from '../vocabulary.ts';
import {
  type FormattedAgent,
  type LostKey,
  findLostName,
  findLostServers,
  findLostVariables,
  renderPrompt,
  createSlug,
} from './exported.ts';
import { describeModel } from './model-id.ts';

export function exportCodex(agent: AgentDefinition, tools: readonly KnownTool[]): FormattedAgent {
  const model = describeModel(agent);
  const hasEffort = agent.effort !== null && agent.effort !== 'max';
  const isReadOnly = canOnlyRead(agent, tools);
  const keys: [string, string | null][] = [
    ['name', createSlug(agent.name)],
    ['description', agent.description],
    ['model', model.vendor === 'other' ? model.id : null],
    ['model_reasoning_effort', hasEffort ? agent.effort : null],
    ['sandbox_mode', isReadOnly ? 'read-only' : null],
    ['developer_instructions', renderPrompt(agent)],
  ];
  const text = keys.map(([key, value]) => (value === null ? '' : tomlLine(key, value))).join('');
  const lost: LostKey[] = [
    ...findLostName(agent),
    ...(agent.role === 'primary' ? [{ key: 'role', reason: 'Codex has such agents as sub-agents only' }] : []),
    ...(model.vendor === 'anthropic' ? [{ key: 'model', reason: `Codex does not run ${agent.model}` }] : []),
    ...(agent.effort === 'max' ? [{ key: 'effort', reason: 'Codex has no effort above xhigh' }] : []),
    ...(agent.tools === null
      ? []
      : [{ key: 'tools', reason: 'Codex has no list of tools: it has all that the sandbox allows' }]),
    ...(agent.permissions === null || isReadOnly
      ? []
      : [{ key: 'permissions', reason: 'the sandbox and the rules for approval of the session apply' }]),
    ...findLostServers(agent),
    ...findLostVariables(agent),
  ];
  return {
    file: `.codex/agents/${createSlug(agent.name)}.toml`,
    text,
    expressedKeys: ['model', 'effort', 'permissions'],
    lost,
  };
}

/** Returns true if no tool of the agent writes or runs commands. */
function canOnlyRead({ tools: listed, permissions }: AgentDefinition, tools: readonly KnownTool[]): boolean {
  if (listed === null && permissions === null) return false;
  return tools.every((tool) => {
    const isOffered = listed === null || listed.includes(tool.name);
    const changes = tool.permissions.some((one) => one === 'FilesystemWrite' || one === 'Execute');
    return !isOffered || !changes || !isWithinPermissions(tool, permissions);
  });
}
