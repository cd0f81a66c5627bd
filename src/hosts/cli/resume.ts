/** `triad sessions resume`: goes on with the newest interrupted workflow of a conversation. */
import type { ApprovePolicy } from '#contract/agent.ts';
import type { Answer } from '#contract/approval.ts';
import { TriadError } from '#core/errors.ts';
import { UsageError } from './failure.ts';
import { follow, terminalFor } from './follow.ts';
import type { Io } from './io.ts';
import { loadSession } from './session.ts';
import type { Terminal } from './terminal.ts';

export interface ResumeOptions {
  approve?: ApprovePolicy;
  json?: boolean;
}

export async function resumeSession(io: Io, id: string, options: ResumeOptions): Promise<number> {
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    if (approve === 'ask' && options.approve === 'ask' && terminal === null) {
      throw new UsageError('--approve ask needs a terminal to ask on: use --approve all or --approve none');
    }
    const { runtime, failed, close } = await io.openRuntime({ works: true });
    try {
      const { conversation, workflows } = await loadSession(runtime, id);
      const workflow = workflows.findLast(({ outcome }) => outcome === 'interrupted');
      if (workflow === undefined)
        throw new TriadError('conflict', `Nothing in session ${conversation.id} was interrupted`);
      if (
        options.approve !== undefined &&
        workflow.approve !== 'ask' &&
        workflow.approve !== options.approve
      ) {
        throw new UsageError(
          `This workflow was started with --approve ${workflow.approve}, and goes on with it`,
        );
      }
      const answers = workflow.approve === 'ask' ? answersOf(approve, terminal) : null;
      const start = async () => {
        await runtime.request('workflow.resume', { workflowId: workflow.id });
        return workflow.id;
      };
      return await follow(io, runtime, failed, {
        conversationId: conversation.id,
        json: options.json === true,
        answers,
        start,
      });
    } finally {
      await close();
    }
  } finally {
    terminal?.close();
  }
}

/** The stored workflow asks; whoever resumes it may answer everything alike. */
function answersOf(approve: ApprovePolicy, terminal: Terminal | null): Terminal | Answer {
  if (approve === 'all') return { kind: 'allow' };
  return terminal ?? { kind: 'reject', reason: 'Nobody was there to answer' };
}
