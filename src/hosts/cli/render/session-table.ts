/** Conversations as a table. Pure. */
import { titleText } from '#contract/messages/fork-text.ts';
import { formatState, isWithdrawn } from '#domain/status-of.ts';
import { table } from '../terminal/table.ts';
import { oneLine, visible } from '../terminal/visible.ts';
import { localTime, tokenCell } from './format.ts';
import type { ListedSession } from './session-json.ts';

/** The state of the newest workflow; of a withdrawn message only if there is nothing else. */
function formatLast(workflows: ListedSession['workflows']): string {
  const last = workflows.findLast((workflow) => !isWithdrawn(workflow)) ?? workflows.at(-1);
  return last ? formatState(last) : '–';
}

export function sessionTable(sessions: readonly ListedSession[], width: number): string[] {
  const columns = [
    { title: 'SESSION' },
    { title: 'UPDATED', rank: 2 },
    { title: 'WORKFLOWS', rank: 4, align: 'right' as const },
    { title: 'SUB-AGENTS', rank: 5, align: 'right' as const },
    { title: 'LAST', rank: 1 },
    { title: 'TOKENS', rank: 3, align: 'right' as const },
    { title: 'TITLE', min: 12 },
  ];
  const rows = sessions.map(({ conversation, workflows }) => [
    conversation.id,
    localTime(conversation.updatedAt),
    String(workflows.length),
    // Those that started; what was asked for and refused is no sub-agent.
    String(workflows.reduce((sum, { subAgentCount }) => sum + subAgentCount, 0)),
    formatLast(workflows),
    tokenCell(conversation.usage),
    oneLine(visible(titleText(conversation))) || '(no message yet)',
  ]);
  return table(columns, rows, width);
}
