/** The mark of an agent before its name, in its hue: the same as on the screens. Pure. */
import { agentMarkOf, type AgentMark, MARK_SIGNS } from '#contract/flows/agent-mark.ts';
import type { Style } from '../terminal/style.ts';

const INKS = { lead: 'bold', first: 'blue', second: 'yellow', third: 'cyan' } as const satisfies Record<
  AgentMark,
  string
>;

export function markText(runs: Parameters<typeof agentMarkOf>[0], runId: string, style: Style): string {
  const mark = agentMarkOf(runs, runId);
  return mark === null ? '' : `${style(INKS[mark], MARK_SIGNS[mark])} `;
}
