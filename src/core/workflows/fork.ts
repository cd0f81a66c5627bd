/** Forks a conversation: creates a new one from copies, which is independent of the first. */
import type { ForkedFrom } from '#contract/messages/fork.ts';
import type { EventDraft } from '#contract/event.ts';
import type { Parsed } from '#contract/rpc.ts';
import type { ConversationRow, RunRow, WorkflowRow } from '#contract/view.ts';
import { ZERO_TALLY } from '#domain/tally.ts';
import { titleOf } from '#contract/messages/short-text.ts';
import { mustExist, TriadError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { chainsIn } from './flows/chain.ts';
import type { Engine } from '../runs/engine.ts';
import { loadWorkflows } from '#core/store/log/earlier-leads.ts';
import { type ForkContinuation, leadEntryOf } from './fork-continuation.ts';
import { type ForkedWorkflow, imagesIn, makeWorkflowEvents } from './copied-events.ts';
import { purge } from './trash.ts';

/** Workflows of one read, and events of one commit. Small batches, so that other work does not wait long. */
const [WORKFLOWS, EVENTS] = [20, 50];

type Parts = Pick<Engine, 'store' | 'log' | 'outputs' | 'workspaces'>;
type ForkedAt = Pick<Parsed<'conversation.fork'>, 'workflowId' | 'end' | 'entry' | 'runId'>;

/**
 * Resolves with the new conversation once all of it is stored. Until then it is in the trash. After a crash, an incomplete
 * fork stays there. `after`: the fork continues from a step of the workflow, which is not part of its history then.
 * `prepare`: work before the fork leaves the trash; if it rejects, there is no fork. Rejects with `not_found` if the
 * conversation does not have the workflow or the entry.
 */
export async function fork(
  parts: Parts,
  conversation: ConversationRow,
  { workflowId, end: requestedEnd, entry, runId }: ForkedAt,
  { after, prepare }: { after?: ForkContinuation; prepare?: () => Promise<void> } = {},
): Promise<ConversationRow> {
  const { store, log, workspaces } = parts;
  const rows = await loadWorkflows(store, conversation.id);
  const at = rows.find(({ id }) => id === workflowId);
  if (!at) throw new TriadError('not_found', `There is no workflow ${workflowId} in this conversation`);
  if (!after && (requestedEnd === 'before' || entry === undefined) && (entry ?? runId) !== undefined)
    throw new TriadError(
      'bad_input',
      'entry belongs to the end "after": before it nothing of the workflow is taken over; and runId to an entry',
    );
  const end = after ? 'before' : requestedEnd;
  const upTo =
    entry === undefined || after ? undefined : await leadEntryOf(parts, at, { runId: runId ?? at.runId, entry });
  const history = rows.filter((row) => row.id < at.id || (end === 'after' && row === at));
  const made = await createFork(parts, conversation, at.id);
  try {
    const { last, runs } = await copyWorkflows(parts, history, { made, upTo: { [at.id]: upTo } });
    if (after) await appendEvents(log, await after.copy(made.id, runs));
    await mustExist(store.conversation(conversation.id), 'The conversation was deleted while it was forked');
    const { conversationId, title } = made.from;
    const step = after && { step: after.step };
    const place = { message: rows.indexOf(at) + 1, ...(entry !== undefined && !after && { entry }) };
    const from: ForkedFrom = { conversationId, title, workflowId: at.id, last, ...place, ...step };
    // A fork without history gets its title from its first message.
    const set = { from, ...(last === null && { title: after ? titleOf(at.prompt) : '' }) };
    await log.save([{ table: 'conversation', key: made.id, change: (row) => ({ ...row, ...set }) }]);
    await prepare?.();
    await store.restore(made.id);
    await after?.begin();
  } catch (error) {
    // Only what is in the trash is purged: a fork that could not go on has left it.
    await store.trash(made.id, new Date().toISOString()).catch(() => false);
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

type NewFork = ConversationRow & { from: ForkedFrom };

/** Creates the row of the fork, in the trash. */
async function createFork(
  { store, log }: Parts,
  { id, title, folder, agent }: ConversationRow,
  workflowId: string,
): Promise<NewFork> {
  const at = new Date().toISOString();
  const from: ForkedFrom = { conversationId: id, title, workflowId, last: null, whole: false };
  const row = { id: newId(), title, folder, agent, createdAt: at, updatedAt: at, lastSeq: 0, usage: ZERO_TALLY, from };
  await log.begin(row);
  await store.trash(row.id, at);
  return row;
}

/**
 * Copies the workflows in batches. Returns the id of the last copy, and the ids of the copied lead runs, by the ids of the
 * runs that were copied and of their first originals. `upTo`: number of the last copied entry, by workflow.
 */
async function copyWorkflows(
  { store, log, outputs }: Parts,
  rows: readonly WorkflowRow[],
  { made, upTo }: { made: NewFork; upTo: Readonly<Record<string, number | undefined>> },
): Promise<{ last: string | null; runs: ReadonlyMap<string, string> }> {
  const places = new Map(rows.map((row) => [row.id, { workflowId: newId(), runId: newId() }]));
  const runs = new Map(rows.map((row) => [row.runId, places.get(row.id)?.runId ?? '']));
  let last: string | null = null;
  for (let from = 0; from < rows.length; from += WORKFLOWS) {
    const sources = await loadSources(store, rows.slice(from, from + WORKFLOWS), upTo);
    const drafts: EventDraft[] = [];
    for (const source of sources) {
      const { workflow } = source;
      const place = places.get(workflow.id);
      if (!place) continue;
      const all = [source, ...(source.stages ?? []).map(({ entries }) => ({ workflow: {}, entries }))];
      for (const { sha256 } of all.flatMap(imagesIn)) await outputs.copyImage(workflow.conversationId, made.id, sha256);
      drafts.push(...makeWorkflowEvents(source, { conversationId: made.id, ...place, runs }));
      last = place.workflowId;
    }
    await appendEvents(log, drafts);
  }
  const first = rows.flatMap(({ copiedFrom, runId }) =>
    copiedFrom ? [[copiedFrom.runId, runs.get(runId) ?? ''] as const] : [],
  );
  return { last, runs: new Map([...first, ...runs]) };
}

async function appendEvents(log: Parts['log'], drafts: readonly EventDraft[]): Promise<void> {
  for (let at = 0; at < drafts.length; at += EVENTS)
    await Promise.all(drafts.slice(at, at + EVENTS).map((draft) => log.append(draft)));
}

/**
 * Loads the workflows to copy. Excludes those whose lead has no entry: they wait, or ended before their start. Throws
 * `not_found` if an entry of `upTo` does not exist.
 */
async function loadSources(
  store: Parts['store'],
  rows: readonly WorkflowRow[],
  upTo: Readonly<Record<string, number | undefined>>,
): Promise<ForkedWorkflow[]> {
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
