/** What an agent is told before its next request of what the person undid, once. */
import type { ChangeSet, Undo } from '#contract/change.ts';
import type { Entry } from '#contract/message.ts';

const MAX_PATHS = 20;

/** Words for the agent, and the ids of what they tell; null where there is nothing new. `runId`: only what this run did; null for a lead, which is told of all. */
export function undosToTell(
  undos: readonly Undo[],
  entries: readonly Entry[],
  runId: string | null,
): { text: string; undos: string[] } | null {
  const told = new Set(entries.flatMap((entry) => (entry.kind === 'user' ? (entry.undos ?? []) : [])));
  const isNew = ({ id, calls, files, takesBack, redone }: Undo): boolean => {
    if (files.length === 0 || told.has(id) || (runId !== null && calls.every((call) => call.runId !== runId)))
      return false;
    // Done and taken back before anybody was told: nothing has changed.
    return takesBack.length === 0 ? !redone : takesBack.some((one) => told.has(one));
  };
  const fresh = undos.filter(isNew);
  if (fresh.length === 0) return null;
  const text = [
    'The person changed what was done in files:',
    ...fresh.map((undo) => `- ${sentence(undo, runId)}`),
    'Read these files again before you rely on what they held, and do not do again what was undone unless you are asked to.',
  ].join('\n');
  return { text, undos: fresh.map(({ id }) => id) };
}

/** The undos without what they did to changes of these workflows, of which nobody is told. */
export function undosWithout(
  { sets, undos }: { sets: readonly ChangeSet[]; undos: readonly Undo[] },
  workflowIds: readonly string[],
): Undo[] {
  const told = sets.filter(({ workflowId }) => !workflowIds.includes(workflowId));
  return undos.flatMap((undo) => {
    const isOf = ({ runId, toolCallId }: ChangeSet, call: Undo['calls'][number]): boolean =>
      call.runId === runId && call.toolCallId === toolCallId;
    const calls = undo.calls.filter((call) => told.some((set) => isOf(set, call)));
    if (calls.length === undo.calls.length) return [undo];
    const own = told.filter((set) => calls.some((call) => isOf(set, call)));
    const files = undo.files.filter((file) => own.some((set) => set.files.some(({ path }) => path === file.path)));
    return files.length === 0 ? [] : [{ ...undo, calls, files }];
  });
}

function sentence({ calls, files, takesBack }: Undo, runId: string | null): string {
  const paths = files.slice(0, MAX_PATHS).map(({ path }) => path);
  const more = files.length > paths.length ? ` and ${files.length - paths.length} more` : '';
  const agents = [...new Set(calls.map(({ agent }) => agent))];
  const whose = runId === null ? `what ${agents.join(', ')} did` : 'what you did';
  const how = calls.every(({ path, hunk }) => path === null && hunk === null) ? whose : `a part of ${whose}`;
  return takesBack.length > 0
    ? `did again ${how}: ${paths.join(', ')}${more}`
    : `undid ${how}: ${paths.join(', ')}${more}`;
}
