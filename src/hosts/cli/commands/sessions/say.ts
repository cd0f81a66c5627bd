/** `triad sessions say`: sends a message of the person to a sub-agent that works or waits. */
import type { Command } from 'commander';
import type { Client } from '#contract/rpc.ts';
import { withClient } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';
import { runArgument } from '../parameters.ts';
import { resolveRunId } from './load-session.ts';

export function addSessionsSay(sessions: Command, io: Io): void {
  sessions
    .command('say')
    .description('send a message to a running sub-agent; its next request to the model includes the message')
    .addArgument(runArgument())
    .argument('<text>', 'the message; it answers no question and starts nothing')
    .action((id: string, text: string) => withClient(io, (client) => sayToRun(io, client, id, text)));
}

/** Sends the message. Rejects with `conflict` for a run that cannot read it: ended, not approved yet, or a lead. */
async function sayToRun({ screen }: Io, client: Client, word: string, text: string): Promise<void> {
  const runId = await resolveRunId(client, word);
  await client.request('run.say', { runId, text });
  screen.note(`Said to run ${runId}: it reads that before its next request to the model.`);
}
