/** `triad sessions again`: makes a fork in which a sub-agent starts again. */
import type { Command } from 'commander';
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import { approve, jsonEvents, runArgument } from '../parameters.ts';
import { followFork } from './fork.ts';
import { nullIfNotFound, resolveRunId } from './load-session.ts';

interface Options {
  approve?: ApprovePolicy;
  json?: boolean;
}

export function addSessionsAgain(sessions: Command, io: Io, exit: Exit): void {
  sessions
    .command('again')
    .description(
      'fork a session and run one of its sub-agents again, with the settings that it had; files stay as they are',
    )
    .addArgument(runArgument())
    .addOption(approve())
    .addOption(jsonEvents())
    .action(async (id: string, options: Options) => exit(await runAgain(io, id, options)));
}

/** Runs the sub-agent again in a fork. Resolves with the exit code when the fork has ended. */
function runAgain(io: Io, word: string, options: Options): Promise<number> {
  const find = async (client: Client) => {
    const runId = await resolveRunId(client, word);
    const run = await nullIfNotFound(client.request('run.get', { runId }));
    if (!run) throw new UsageError(`There is no run ${runId}: "triad sessions trace SESSION" lists those of a session`);
    const { conversationId, workflowId } = run;
    return { conversationId, workflowId, runId };
  };
  const describe = (id: string, { runId }: { runId?: string }) =>
    `Session ${id} runs ${runId} again, after a yes; then its lead goes on with the report.`;
  return followFork(io, { ...options, needsYes: true }, find, describe);
}
