/** An agent of Claude Code: Markdown with front matter, in `.claude/agents`. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { KnownTool } from '../vocabulary.ts';
import { type FormattedAgent, findLostName, findLostVariables, renderPrompt, createSlug } from './exported.ts';
import { formatMarkdown } from './markdown.ts';
import { describeModel } from './model-id.ts';
import { nameTools } from './tool-names.ts';

export function exportClaude(agent: AgentDefinition, tools: readonly KnownTool[]): FormattedAgent {
  const { names, lost } = nameTools(agent, 'claude', tools);
  const model = describeModel(agent);
  const text = formatMarkdown(
    {
      name: createSlug(agent.name),
      description: agent.description,
      tools: names === null ? null : names.join(', ') || [],
      model: model.vendor === 'anthropic' ? agent.model : null,
      effort: agent.effort,
      maxTurns: agent.maxIterations,
      mcpServers: agent.mcpServers?.length === 0 ? null : agent.mcpServers,
    },
    renderPrompt(agent),
  );
  const other = { key: 'model', reason: `Claude Code runs models of Anthropic, not ${agent.model}` };
  return {
    file: `.claude/agents/${createSlug(agent.name)}.md`,
    text,
    expressedKeys: ['model', 'effort', 'max_iterations', 'tools', 'permissions', 'mcp_servers'],
    lost: [
      ...findLostName(agent),
      ...(agent.role === 'primary'
        ? [{ key: 'role', reason: 'it is a sub-agent there; "claude --agent NAME" makes it lead' }]
        : []),
      ...(model.vendor === 'other' ? [other] : []),
      ...lost,
      ...findLostVariables(agent),
    ],
  };
}
