/** Forks a conversation: a new one, made of copies, so that what becomes of the first does not touch it. */
import type { ForkedFrom, Step } from '#contract/messages/fork.ts';
import type { EventDraft } from '#contract/event.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#contract/tally.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { chainsIn } from '../flows/chain.ts';
import type { Engine } from '../runs/engine.ts';
import { loadWorkflows } from '../runs/undo/undo-events.ts';
import { leadEntryOf } from './go-on.ts';
import { imagesIn, type Source, takenOver } from './taken-over.ts';
import { purge } from './trash.ts';

/** Workflows that are read at once, and events that are appended before their commit is waited for: nothing else waits long. */
const [WORKFLOWS, EVENTS] = [20, 50];

type Parts = Pick<Engine, 'store' | 'log' | 'outputs' | 'workspaces'>;
type Asked = Pick<Parsed<'conversation.fork'>, 'workflowId' | 'end' | 'entry' | 'runId'>;

/** What a fork does by itself, once it is made. */
interface After {
  step: Step;
  begin: (made: ConversationRow) => Promise<void>;
}

/**
 * Resolves with the new conversation once all of it is stored; until then it is in the trash, where one that a crash cut
 * off stays. `after`: it goes on from a step of the workflow, which then is none of its history. Rejects with `not_found`
 * for a workflow or an entry that the conversation does not have.
 */
export async function fork(
  parts: Parts,
  conversation: ConversationRow,
  { workflowId, end: asked, entry, runId }: Asked,
  after?: After,
): Promise<ConversationRow> {
  const { store, log, workspaces } = parts;
  const rows = await loadWorkflows(store, conversation.id);
  const at = rows.find(({ id }) => id === workflowId);
  if (!at) throw new TriadError('not_found', `There is no workflow ${workflowId} in this conversation`);
  if ((asked === 'before' || entry === undefined) && (entry ?? runId) !== undefined)
    throw new TriadError(
      'bad_input',
      'entry belongs to the end "after": before it nothing of the workflow is taken over; and runId to an entry',
    );
  const end = after ? 'before' : asked;
  const upTo = entry === undefined ? undefined : await leadEntryOf(parts, at, { runId: runId ?? at.runId, entry });
  // With a message that was left goes what was left with it.
  const told = rows.filter((row) => (!row.left || at.left) && (row.id < at.id || (end === 'after' && row === at)));
  const made = await begun(parts, conversation, at.id);
  try {
    const last = await copied(parts, told, { made, upTo: { [at.id]: upTo } });
    await mustExist(store.conversation(conversation.id), 'The conversation was deleted while it was forked');
    const { conversationId, title } = made.from;
    const step = after && { step: after.step };
    const place = { message: rows.indexOf(at) + 1, ...(entry !== undefined && !after && { entry }) };
    const from: ForkedFrom = { conversationId, title, workflowId: at.id, last, ...place, ...step };
    // Where nothing is told of in it, its first message gives it a title.
    const set = { from, ...(last === null && { title: '' }) };
    await log.save([{ kind: 'update', table: 'conversation', key: made.id, set, isKept: true }]);
    await store.restore(made.id);
    await after?.begin({ ...made, from });
  } catch (error) {
    await purge(store, workspaces.changes, made.id).catch(() => false);
    throw error;
  }
  await log.open(conversation.id);
  const who = { workflowId: at.id, runId: at.runId, parentRunId: null, agent: at.agents[0] ?? conversation.agent };
  const about = { conversationId: conversation.id, ...who, at: new Date().toISOString() };
  const where = after ? { step: after.step } : entry === undefined ? {} : { upTo: entry };
  await log.append({ type: 'workflow-fork', ...about, to: made.id, end, ...where });
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

/** Copies these workflows, some at a time; returns the id of the last copy. `upTo`: the last entry, where not all are wanted. */
async function copied(
  { store, log, outputs }: Parts,
  rows: readonly WorkflowRow[],
  { made, upTo }: { made: Made; upTo: Readonly<Record<string, number | undefined>> },
): Promise<string | null> {
  const places = new Map(rows.map((row) => [row.id, { workflowId: newId(), runId: newId() }]));
  const runs = new Map(rows.map((row) => [row.runId, places.get(row.id)?.runId ?? '']));
  let last: string | null = null;
  for (let from = 0; from < rows.length; from += WORKFLOWS) {
    const sources = await sourcesOf(store, rows.slice(from, from + WORKFLOWS), upTo);
    const drafts: EventDraft[] = [];
    for (const source of sources) {
      const { workflow } = source;
      const place = places.get(workflow.id);
      if (!place) continue;
      const all = [source, ...(source.stages ?? []).map(({ entries }) => ({ workflow: {}, entries }))];
      for (const { sha256 } of all.flatMap(imagesIn)) await outputs.copyImage(workflow.conversationId, made.id, sha256);
      drafts.push(...takenOver(source, { conversationId: made.id, ...place, runs }));
      last = place.workflowId;
    }
    for (let at = 0; at < drafts.length; at += EVENTS)
      await Promise.all(drafts.slice(at, at + EVENTS).map((draft) => log.append(draft)));
  }
  return last;
}

/** Without those of which their lead knows nothing: they wait, or were ended before they began. Throws `not_found` for no such entry. */
async function sourcesOf(
  store: Parts['store'],
  rows: readonly WorkflowRow[],
  upTo: Readonly<Record<string, number | undefined>>,
): Promise<Source[]> {
  const ids = rows.map(({ id }) => id);
  const [runs, approvals] = await Promise.all([store.runsOf(ids), store.approvalsOf(ids)]);
  const leads = runs.filter(({ parentRunId }) => parentRunId === null);
  const chains = chainsIn(runs);
  const getStages = ({ id }: RunRow): RunRow[] => chains.get(id) ?? [];
  const { entries } = await store.recordsOf([...leads, ...leads.flatMap(getStages)], ['entries']);
  return rows.flatMap((workflow) => {
    const run = leads.find(({ id }) => id === workflow.runId);
    const all = run ? (entries.get(run.id) ?? []) : [];
    const to = upTo[workflow.id];
    if (to !== undefined && all.every(({ n }) => n !== to))
      throw new TriadError('not_found', `There is no entry ${to} in this workflow`);
    if (!run || all.length === 0) return [];
    const some = to === undefined ? all : all.filter(({ n }) => n <= to);
    const asked = approvals.filter(({ request }) => request.workflowId === workflow.id);
    const stages = getStages(run).map((stage) => ({ id: newId(), run: stage, entries: entries.get(stage.id) ?? [] }));
    const isCut = some.length < all.length;
    return [{ workflow, run, entries: some, isCut, approvals: asked, ...(stages.length > 0 && { stages }) }];
  });
}
