/** `triad sessions agents`: lists the executions of sub-agents in all sessions, as a table or JSON. */
import { type Command, Option } from 'commander';
import type { RunKind } from '#contract/agent.ts';
import type { SubAgentExecution } from '#contract/execution.ts';
import type { ExecutionSort } from '#contract/list-filter.ts';
import type { Status } from '#contract/outcome.ts';
import type { Client, Input } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { json, limit, NameOption } from '../parameters.ts';
import { isListWhole } from './load-session.ts';

const KINDS = ['spawn', 'delegate', 'parallel', 'chain', 'coagent'] as const satisfies readonly RunKind[];
const STATUSES = ['pending', 'running', 'completed', 'error', 'cancelled'] as const satisfies readonly Status[];
const SORTS = ['newest', 'cost', 'duration'] as const satisfies readonly ExecutionSort[];

type Filter = Omit<Input<'execution.list'>, 'before' | 'limit'>;

interface Options extends Filter {
  limit?: number;
  json?: boolean;
}

export function addSessionsAgents(sessions: Command, io: Io): void {
  sessions
    .command('agents')
    .description('list the sub-agents of all sessions: the task, the outcome and the usage of each')
    .addOption(new NameOption('agent', '--agent <name>', 'only this agent'))
    .addOption(new Option('--kind <kind>', 'only sub-agents that were started this way').choices(KINDS))
    .addOption(new Option('--status <status>', 'only sub-agents with this status').choices(STATUSES))
    .option('--model <model>', 'only sub-agents with this model')
    .addOption(
      new Option('--sort <order>', 'what to sort by; the newest or the highest come first')
        .choices(SORTS)
        .default('newest'),
    )
    .addOption(limit())
    .addOption(json())
    .action((options: Options) => withClient(io, (client) => listExecutions(io, client, options)));
}

const PAGE = 200;
/** Number of rows of a table without `--limit`. */
const SCREEN = 50;

/** Lists the executions. Without a limit, JSON has all of them, and the table has the first page. */
async function listExecutions(
  { screen, signal }: Io,
  client: Client,
  { json, limit, ...filter }: Options,
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
  screen.note('To see one with all around it, and its id: triad sessions trace WORKFLOW');
}
