/** `triad sessions agents`: the executions of sub-agents in all sessions, as a table or JSON. */
import type { SubAgentExecution } from '#contract/execution.ts';
import type { Client, Input } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { isListWhole } from './load-session.ts';

const PAGE = 200;
/** Rows of a table without a limit. */
const SCREEN = 50;

type Filter = Omit<Input<'execution.list'>, 'before' | 'limit'>;

/** Without a limit, JSON lists everything and the table the first page. */
export async function listExecutions(
  { screen, signal }: Io,
  client: Client,
  { json, limit, ...filter }: Filter & { json?: boolean; limit?: number },
): Promise<void> {
  const most = limit ?? (json ? Infinity : SCREEN);
  const executions: SubAgentExecution[] = [];
  let before: string | null = null;
  do {
    signal.throwIfAborted();
    const page: { items: SubAgentExecution[]; next: string | null } = await client.request('execution.list', {
      ...filter,
      limit: Math.min(PAGE, most - executions.length),
      ...(before === null ? {} : { before }),
    });
    executions.push(...page.items);
    before = page.next;
  } while (before !== null && executions.length < most);

  const isWhole = before !== null || (await isListWhole(screen, client));
  if (json) return screen.data(`${JSON.stringify(executions, null, 2)}\n`);
  if (executions.length === 0) {
    const isFiltered = Object.keys(filter).some((name) => name !== 'sort');
    if (isWhole) screen.note(isFiltered ? 'No sub-agent matches these filters.' : 'No sub-agent was asked for yet.');
    return;
  }
  const { executionTable } = await import('../../render/execution-table.ts');
  for (const line of executionTable(executions, screen.width)) screen.data(`${line}\n`);
  if (before !== null) screen.note(`Only the first ${executions.length}: more with --limit.`);
  screen.note('To see one with all around it: triad sessions trace WORKFLOW');
}
