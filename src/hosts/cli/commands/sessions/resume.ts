/** `triad sessions resume`: resumes the newest interrupted workflow of a conversation. */
import type { Command } from 'commander';
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Answer } from '#contract/approval.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { openLink } from '../../follow/link.ts';
import { UsageError } from '../../terminal/failure.ts';
import type { Exit, Io } from '../../terminal/io.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { approve, jsonEvents, sessionArgument } from '../parameters.ts';
import { loadSession } from './load-session.ts';

interface Options {
  approve?: ApprovePolicy;
  json?: boolean;
}

export function addSessionsResume(sessions: Command, io: Io, exit: Exit): void {
  sessions
    .command('resume')
    .description('resume the newest interrupted workflow of a session')
    .addArgument(sessionArgument())
    .addOption(approve())
    .addOption(jsonEvents())
    .action(async (id: string, options: Options) => exit(await resumeSession(io, id, options)));
}

async function resumeSession(io: Io, id: string, options: Options): Promise<number> {
  const { terminalFor } = await import('../../follow/answers.ts');
  const { follow } = await import('../../follow/follow.ts');
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    const link = await openLink(io, true);
    try {
      const { conversation, workflows } = await link.ask((client) => loadSession(client, id));
      const workflow = workflows.findLast(({ outcome }) => outcome === 'interrupted');
      if (workflow === undefined)
        throw new TriadError('conflict', `Nothing in session ${conversation.id} was interrupted`);
      const stored = workflow.approve;
      if (options.approve !== undefined && stored !== 'ask' && stored !== options.approve)
        throw new UsageError(`This workflow was started with --approve ${stored}, and goes on with it`);
      const start = async (client: Client) => {
        await client.request('workflow.resume', { workflowId: workflow.id });
        return workflow.id;
      };
      return await follow(io, link, {
        conversationId: conversation.id,
        json: options.json === true,
        answers: stored === 'ask' ? answersOf(approve, terminal) : null,
        start,
        find: async () => workflow.id,
      });
    } finally {
      await link.close();
    }
  } finally {
    terminal?.close();
  }
}

/** Returns how questions are answered: allow all, ask at the terminal, or reject all. */
function answersOf(approve: ApprovePolicy, terminal: Terminal | null): Terminal | Answer {
  if (approve === 'all') return { kind: 'allow', confirmed: true };
  return terminal ?? { kind: 'reject', reason: 'Nobody was there to answer' };
}
