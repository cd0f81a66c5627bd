/** Writes an agent in the format of another program. Pure. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { KnownTool } from '../vocabulary.ts';
import { exportClaude } from './claude.ts';
import { exportCodex } from './codex.ts';
import { type ExportedAgent, type AgentExportFormat, type FormattedAgent, listKeys } from './exported.ts';
import { exportGoose } from './goose.ts';
import { exportOpencode } from './opencode.ts';

const EXPORTERS: Readonly<
  Record<AgentExportFormat, (agent: AgentDefinition, tools: readonly KnownTool[]) => FormattedAgent>
> = { claude: exportClaude, opencode: exportOpencode, codex: exportCodex, goose: exportGoose };

const PROGRAMS: Readonly<Record<AgentExportFormat, string>> = {
  claude: 'Claude Code',
  opencode: 'opencode',
  codex: 'Codex',
  goose: 'goose',
};

export function exportAgent(
  agent: AgentDefinition,
  format: AgentExportFormat,
  tools: readonly KnownTool[],
): ExportedAgent {
  const { file, text, expressedKeys, lost } = EXPORTERS[format](agent, tools);
  const explainedKeys = [...expressedKeys, ...lost.map(({ key }) => key)];
  const others = listKeys(agent).filter((key) => !explainedKeys.includes(key));
  const reason = `${PROGRAMS[format]} has no such key`;
  return { format, file, text, lost: [...lost, ...others.map((key) => ({ key, reason }))] };
}
