/** `triad sessions say`: a word of the person to a sub-agent that works, or waits. */
import type { Client } from '#contract/rpc.ts';
import type { Io } from '../../terminal/io.ts';
import { meantRunId } from './load-session.ts';

/** Rejects with `conflict` where nobody would read it: it has ended, waits for its own yes, or is a lead. */
export async function sayToRun({ screen }: Io, client: Client, word: string, text: string): Promise<void> {
  const runId = await meantRunId(client, word);
  await client.request('run.say', { runId, text });
  screen.note(`Said to run ${runId}: it reads that before its next request to the model.`);
}
