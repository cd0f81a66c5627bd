/** Forks a conversation: a new one, made of copies, so that what becomes of the first does not touch it. */
import type { ForkedFrom } from '#contract/messages/fork.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Engine } from '../runs/engine.ts';
import { workflowsOf } from './rewind.ts';
import { imagesIn, type Source, takenOver } from './taken-over.ts';
import { purge } from './trash.ts';

/** Events that are appended before their commit is waited for. */
const STEP = 100;

type Parts = Pick<Engine, 'store' | 'log' | 'outputs' | 'workspaces'>;
type Asked = Omit<Parsed<'conversation.fork'>, 'conversationId'>;

/**
 * Resolves with the new conversation once all of it is stored; until then it is in the trash, where one that a crash cut
 * off stays. Rejects with `not_found` for a workflow or an entry that the conversation does not have.
 */
export async function fork(
  parts: Parts,
  conversation: ConversationRow,
  { workflowId, end, entry }: Asked,
): Promise<ConversationRow> {
  const { store, log, workspaces } = parts;
  const rows = await workflowsOf(store, conversation.id);
  const at = rows.find(({ id }) => id === workflowId);
  if (!at) throw new TriadError('not_found', `There is no workflow ${workflowId} in this conversation`);
  if (end === 'before' && entry !== undefined)
    throw new TriadError(
      'bad_input',
      'entry belongs to the end "after": before it nothing of the workflow is taken over',
    );
  // With a message that was left goes what was left with it.
  const told = rows.filter((row) => (!row.left || at.left) && (row.id < at.id || (end === 'after' && row === at)));
  const made = await begun(parts, conversation, at.id);
  try {
    const last = await copied(parts, told, { made, upTo: { [at.id]: entry } });
    await mustExist(store.conversation(conversation.id), 'The conversation was deleted while it was forked');
    const { conversationId, title } = made.from;
    const from: ForkedFrom = { conversationId, title, workflowId: at.id, last };
    await log.save([{ kind: 'update', table: 'conversation', key: made.id, set: { from } }]);
    await store.restore(made.id);
  } catch (error) {
    await purge(store, workspaces.changes, made.id).catch(() => false);
    throw error;
  }
  await log.open(conversation.id);
  const who = { workflowId: at.id, runId: at.runId, parentRunId: null, agent: at.agents[0] ?? conversation.agent };
  const about = { conversationId: conversation.id, ...who, at: new Date().toISOString() };
  await log.append({ type: 'workflow-fork', ...about, to: made.id, end });
  return mustExist(store.conversation(made.id), 'The fork was not stored');
}

type Made = ConversationRow & { from: ForkedFrom };

/** The row of the new one, in the trash. */
async function begun(
  { store, log }: Parts,
  { id, title, folder, agent }: ConversationRow,
  workflowId: string,
): Promise<Made> {
  const at = new Date().toISOString();
  const from: ForkedFrom = { conversationId: id, title, workflowId, last: null, whole: false };
  const row = { id: newId(), title, folder, agent, createdAt: at, updatedAt: at, lastSeq: 0, usage: ZERO_TALLY, from };
  await log.begin(row);
  await store.trash(row.id, at);
  return row;
}

/** Copies these workflows, a part at a time; returns the id of the last copy. `upTo`: the last entry, where not all are wanted. */
async function copied(
  { store, log, outputs }: Parts,
  rows: readonly WorkflowRow[],
  { made, upTo }: { made: Made; upTo: Readonly<Record<string, number | undefined>> },
): Promise<string | null> {
  const places = rows.map((row) => ({ row, workflowId: newId(), runId: newId() }));
  const runs = new Map(places.map(({ row, runId }) => [row.runId, runId]));
  let last: string | null = null;
  for (const { row, workflowId, runId } of places) {
    const source = await sourceOf(store, row, upTo[row.id]);
    if (!source) continue;
    for (const { sha256 } of imagesIn(source)) await outputs.copyImage(row.conversationId, made.id, sha256);
    const drafts = takenOver(source, { conversationId: made.id, workflowId, runId, runs });
    for (let from = 0; from < drafts.length; from += STEP)
      await Promise.all(drafts.slice(from, from + STEP).map((draft) => log.append(draft)));
    last = workflowId;
  }
  return last;
}

/** Null for one of which its lead knows nothing: it waits, or was ended before it began. Throws `not_found` for no such entry. */
async function sourceOf(
  store: Parts['store'],
  workflow: WorkflowRow,
  upTo: number | undefined,
): Promise<Source | null> {
  const run = await store.run(workflow.runId);
  const all = run ? await store.entriesOf(run.id) : [];
  if (upTo !== undefined && all.every(({ n }) => n !== upTo))
    throw new TriadError('not_found', `There is no entry ${upTo} in this workflow`);
  if (!run || all.length === 0) return null;
  const entries = upTo === undefined ? all : all.filter(({ n }) => n <= upTo);
  return { workflow, run, entries, isCut: entries.length < all.length };
}
