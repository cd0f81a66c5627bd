/** Questions of the past with what answered them: the grants of a workflow, and what was decided last. */
import { grantIdOf } from '#contract/grant-id.ts';
import type { Approval } from '#contract/approval.ts';
import { editedTitle } from '#contract/approvals/edited-title.ts';
import type { Grant } from '#contract/permission.ts';
import { spawnItems } from '#contract/spawn-items.ts';
import type { Answered, WorkflowRow } from '#contract/view.ts';
import type { Store } from '../store/store.ts';

/** Most approvals that are read, and most decisions that are returned. */
const NEWEST = 50;

/** Grants that were given in a workflow, and grants from elsewhere that answered its questions; oldest first. */
export async function grantsOf(
  store: Pick<Store, 'grant' | 'grantsGivenIn'>,
  workflow: Pick<WorkflowRow, 'id' | 'endedAt'>,
  approvals: readonly Approval[],
): Promise<Grant[]> {
  const given = await store.grantsGivenIn(workflow);
  const known = new Set(given.map(({ id }) => id));
  const used = await grantsWithin(store, approvals, known);
  return [...given, ...used].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The newest decisions, newest first, without those of conversations in the trash. */
export async function recentlyAnswered(
  store: Pick<Store, 'newestApprovals' | 'conversation' | 'grant'>,
): Promise<Answered[]> {
  const approvals = await store.newestApprovals(NEWEST);
  const conversations = [...new Set(approvals.map(({ request }) => request.conversationId))];
  const rows = await Promise.all(conversations.map((id) => store.conversation(id)));
  const listed = new Set(rows.flatMap((row) => (row && !row.deletedAt ? [row.id] : [])));
  const shown = approvals.filter(({ request }) => listed.has(request.conversationId));
  const used = await grantsWithin(store, shown, new Set());
  const grants = new Map(used.map((grant) => [grant.id, grant]));
  return shown
    .flatMap((approval) => answersOf(approval, grants))
    .sort((a, b) => b.decision.at.localeCompare(a.decision.at))
    .slice(0, NEWEST);
}

async function grantsWithin(
  store: Pick<Store, 'grant'>,
  approvals: readonly Approval[],
  known: ReadonlySet<string>,
): Promise<Grant[]> {
  const decisions = approvals.flatMap((approval) => approval.decisions);
  const ids = new Set(decisions.flatMap((decision) => grantIdOf(decision?.ruleId ?? null) ?? []));
  const found = await Promise.all([...ids].filter((id) => !known.has(id)).map((id) => store.grant(id)));
  return found.filter((grant) => grant !== null);
}

function answersOf({ request, decisions }: Approval, grants: ReadonlyMap<string, Grant>): Answered[] {
  const { id: approvalId, conversationId, workflowId, runId, risk, subject } = request;
  return decisions.flatMap((answer, item) => {
    if (!answer) return [];
    const { edited, replies: __, ...decision } = answer;
    const started = spawnItems(subject)[item];
    const isEdited = subject.kind === 'tool' && edited !== undefined;
    const { title, says } = isEdited ? editedTitle(request, subject.input, edited) : request;
    return {
      approvalId,
      conversationId,
      workflowId,
      runId,
      risk,
      decision,
      agent: started?.envelope.agent ?? request.agent,
      kind: subject.kind,
      title: started?.title || title,
      ...(says && !started?.title ? { says } : {}),
      grant: grants.get(grantIdOf(decision.ruleId) ?? '') ?? null,
    };
  });
}
