/** A whole conversation as the session commands need it, by its own id or by that of one of its workflows. */
import { Id } from '#contract/ids.ts';
import type { Client } from '#contract/rpc.ts';
import type { ConversationRow, RunRow, Snapshot, WorkflowRow } from '#contract/view.ts';
import { TriadError } from '#core/errors.ts';
import { UsageError } from './failure.ts';

export interface Session {
  conversation: ConversationRow;
  /** Oldest first. */
  workflows: WorkflowRow[];
  /** Runs of all workflows, each workflow's in order of creation. */
  runs: RunRow[];
}

/** Throws where the word cannot be an id. */
export function sessionId(word: string): string {
  if (Id.safeParse(word).success) return word;
  throw new UsageError(`"${word}" is not the id of a session: see "triad sessions list"`);
}

/** With a workflow's id only that workflow is in it. */
export async function loadSession(client: Client, id: string): Promise<Session> {
  const snapshot = await found(client.request('conversation.snapshot', { conversationId: sessionId(id) }));
  if (snapshot !== null) return wholeSession(client, snapshot);
  const detail = await found(client.request('workflow.get', { workflowId: id }));
  if (detail === null) throw new UsageError(`There is no session ${id}: see "triad sessions list"`);
  return { conversation: detail.conversation, workflows: [detail.workflow], runs: detail.runs };
}

/** Goes back page by page to the first workflow. */
export async function wholeSession(client: Client, newest: Snapshot): Promise<Session> {
  let { workflows, runs } = newest;
  let { more } = newest;
  for (let first = workflows[0]; more && first !== undefined; first = workflows[0]) {
    const page = await client.request('conversation.earlier', {
      conversationId: newest.conversation.id,
      before: first.id,
    });
    if (page.workflows.length === 0) break;
    workflows = [...page.workflows, ...workflows];
    runs = [...page.runs, ...runs];
    more = page.more;
  }
  return { conversation: newest.conversation, workflows, runs };
}

async function found<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof TriadError && error.code === 'not_found') return null;
    throw error;
  }
}
