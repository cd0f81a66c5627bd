/** The newest calls of a folder, as its runs made them. */
import type { Approval } from '#contract/approval.ts';
import type { ToolUsePart } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { callsOf } from '#core/store/log/transcript.ts';
import type { Store } from '../store/store.ts';

export interface PastCall {
  conversationId: string;
  run: RunRow;
  call: ToolUsePart;
  at: string;
  /** What was asked about it, or answered by a rule; null where nothing was. */
  approval: Approval | null;
}

/** Workflows of one read, and most that are looked at: there are some without a call. */
const PAGE = 10;
const MAX_WORKFLOWS = 50;

type Reads = Pick<Store, 'workflows' | 'runsOf' | 'approvalsOf' | 'recordsOf'>;

/** Newest first, at most so many; costs what these and the other calls of their workflows do. */
export async function pastCalls(store: Reads, folder: string, most: number): Promise<PastCall[]> {
  const found: PastCall[] = [];
  let before: string | undefined;
  for (let looked = 0; looked < MAX_WORKFLOWS; looked += PAGE) {
    const { items, next } = await store.workflows({ folder, limit: PAGE, before });
    for (const workflow of items) {
      found.push(...(await callsIn(store, workflow)));
      if (found.length >= most) return found.slice(0, most);
    }
    if (next === null) break;
    before = next;
  }
  return found;
}

async function callsIn(store: Reads, { id, conversationId }: WorkflowRow): Promise<PastCall[]> {
  const [runs, approvals] = await Promise.all([store.runsOf([id]), store.approvalsOf([id])]);
  const { entries } = await store.recordsOf(runs, ['entries']);
  // What is asked while a call runs is not about whether it may.
  const asked = approvals.filter(({ request }) => request.during === undefined);
  const calls = runs.flatMap((run) => {
    const all = entries.get(run.id) ?? [];
    // It was decided about, and stands among these, where it was made.
    const copied = new Set(all.flatMap((one) => (one.kind === 'tool' && one.copiedFrom ? [one.toolCallId] : [])));
    return all.flatMap((entry): PastCall[] => {
      if (entry.kind !== 'assistant' || entry.interrupted) return [];
      return callsOf(entry).flatMap((call): PastCall[] => {
        const isAbout = ({ request }: Approval): boolean => request.runId === run.id && request.toolCallId === call.id;
        if (copied.has(call.id)) return [];
        return [{ conversationId, run, call, at: entry.at, approval: asked.find(isAbout) ?? null }];
      });
    });
  });
  // Of one message, the last call first too.
  return calls.toReversed().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
