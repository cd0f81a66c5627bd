/** `triad sessions again`: one execution again, alone, in a session of its own. */
import type { ApprovePolicy } from '#contract/agent.ts';
import { terminalFor } from '../../follow/answers.ts';
import { follow } from '../../follow/follow.ts';
import { openLink } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { meantRunId } from './load-session.ts';

interface AgainOptions {
  approve?: ApprovePolicy;
  json?: boolean;
}

export async function runAgain(io: Io, word: string, options: AgainOptions): Promise<number> {
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    const link = await openLink(io, true);
    try {
      const runId = await link.ask((client) => meantRunId(client, word));
      // Not asked again where the answer is lost: it would be run twice.
      const made = await link.current.client.request('run.again', { runId, approve, via: 'cli' });
      const { conversationId, workflowId } = made;
      if (!options.json) io.screen.note(`Run ${runId} again, in session ${conversationId}. Files stay as they are.`);
      const json = options.json === true;
      const start = async () => workflowId;
      const running = workflowId;
      return await follow(io, link, { conversationId, running, json, answers: terminal, start, find: start });
    } finally {
      await link.close();
    }
  } finally {
    terminal?.close();
  }
}
