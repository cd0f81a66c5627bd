/** The agents, turns and limits of a chosen lead that has a coagent or stages. Pure. */
import type { LeadPreview } from '#contract/approval.ts';
import { allServing, servingText, formatRequestBound } from '#contract/flows/serving-text.ts';
import { visible } from '../terminal/visible.ts';

/** None where the lead works alone. */
export function compositionLines({ envelope, worst }: LeadPreview): string[] {
  const { flow, stages } = envelope;
  if (!flow && stages.length === 0) return [];
  const who = servingText(envelope) || `${envelope.agent} alone`;
  const tools = allServing(envelope).map(({ agent, tools: own }) => `  tools of ${agent}: ${own.join(', ') || 'none'}`);
  const lines = [
    `triad: ${who}`,
    ...(flow ? [`  primary agent: ${flow.primary}`] : []),
    ...tools,
    `  ${formatRequestBound(worst)}; each sub-agent is asked about by itself`,
  ];
  return lines.map(visible);
}
