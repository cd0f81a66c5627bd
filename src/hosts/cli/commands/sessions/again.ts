/** `triad sessions again`: one execution again, alone, in a session of its own. */
import type { ApprovePolicy } from '#contract/agent.ts';
import { Id } from '#contract/ids.ts';
import type { Client } from '#contract/rpc.ts';
import { UsageError } from '../../terminal/failure.ts';
import { terminalFor } from '../../follow/answers.ts';
import { follow } from '../../follow/follow.ts';
import { openLink } from '../../follow/link.ts';
import type { Io } from '../../terminal/io.ts';

interface AgainOptions {
  approve?: ApprovePolicy;
  json?: boolean;
}

const PAGE = 200;
const SEE = 'see "triad sessions agents --json"';

export async function runAgain(io: Io, word: string, options: AgainOptions): Promise<number> {
  const { approve, terminal } = await terminalFor(io, options.approve);
  try {
    const link = await openLink(io, true);
    try {
      const runId = await link.ask((client) => runOf(client, io.signal, word));
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

/** The run that is meant by an id or its first characters. */
export async function runOf(client: Client, signal: AbortSignal, word: string): Promise<string> {
  if (Id.safeParse(word).success) return word;
  if (!/^[0-9a-f][0-9a-f-]{5,34}$/.test(word)) throw new UsageError(`"${word}" is not the id of a run: ${SEE}`);
  const meant = new Set<string>();
  for (let before: string | null | undefined; before !== null;) {
    signal.throwIfAborted();
    const asked = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const page: { items: { id: string }[]; next: string | null } = await client.request('execution.list', asked);
    for (const { id } of page.items) if (id.startsWith(word)) meant.add(id);
    before = page.next;
  }
  const [id] = meant;
  if (id === undefined) throw new UsageError(`No id of a run begins with ${word}: ${SEE}`);
  if (meant.size > 1) throw new UsageError(`The ids of ${meant.size} runs begin with ${word}: give more of it, ${SEE}`);
  return id;
}
