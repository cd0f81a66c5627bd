/** An agent of Claude Code: Markdown with front matter, in `.claude/agents`. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { KnownTool } from '../vocabulary.ts';
import { type FormatResult, lostName, lostVariables, promptFor, slugFor } from './exported.ts';
import { markdown } from './markdown.ts';
import { describeModel } from './model-id.ts';
import { nameTools } from './tool-names.ts';

export function exportClaude(agent: AgentDefinition, tools: readonly KnownTool[]): FormatResult {
  const { names, lost } = nameTools(agent, 'claude', tools);
  const model = describeModel(agent);
  const text = markdown(
    {
      name: slugFor(agent.name),
      description: agent.description,
      tools: names === null ? null : names.join(', ') || [],
      model: model.vendor === 'anthropic' ? agent.model : null,
      effort: agent.effort,
      maxTurns: agent.maxIterations,
      mcpServers: agent.mcpServers?.length === 0 ? null : agent.mcpServers,
    },
    promptFor(agent),
  );
  const other = { key: 'model', reason: `Claude Code runs models of Anthropic, not ${agent.model}` };
  return {
    file: `.claude/agents/${slugFor(agent.name)}.md`,
    text,
    kept: ['model', 'effort', 'max_iterations', 'tools', 'permissions', 'mcp_servers'],
    lost: [
      ...lostName(agent),
      ...(agent.role === 'primary'
        ? [{ key: 'role', reason: 'it is a sub-agent there; "claude --agent NAME" makes it lead' }]
        : []),
      ...(model.vendor === 'other' ? [other] : []),
      ...lost,
      ...lostVariables(agent),
    ],
  };
}
