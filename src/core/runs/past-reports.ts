/**
 * Reports of sub-agents that have ended. A lead searches those of earlier workflows in its folder, and may read them and
 * those of its conversation whole; a sub-agent searches those of its own workflow where its envelope says so.
 */
import type { RunRow } from '#contract/view.ts';
import type { Store } from '../store/store.ts';
import type { PastReport } from '../tools/notes/note-search.ts';
import { TriadError } from '../base/errors.ts';

/** So many of the newest workflows of the folder are looked at, and so many reports taken. */
const WORKFLOWS = 200;
const REPORTS = 200;
const PAGE = 100;

/** Newest first, without those of a workflow that runs, and of conversations in the trash. */
export async function pastReports(store: Pick<Store, 'workflows' | 'runsOf'>, folder: string): Promise<PastReport[]> {
  const reports: PastReport[] = [];
  let before: string | null = '';
  for (let seen = 0; seen < WORKFLOWS && reports.length < REPORTS && before !== null; seen += PAGE) {
    const page: Awaited<ReturnType<Store['workflows']>> = await store.workflows({
      folder,
      limit: PAGE,
      ...(before === '' ? {} : { before }),
    });
    const ended = page.items.filter(({ endedAt, subAgentCount }) => endedAt !== null && subAgentCount > 0);
    const runs = (await store.runsOf(ended.map(({ id }) => id))).reverse();
    // A copy in a fork is found where it was made.
    reports.push(...runs.filter(({ copiedFrom }) => !copiedFrom).flatMap(reportOf));
    before = page.next;
  }
  return reports.slice(0, REPORTS);
}

/** What has been reported in a workflow until now, newest first. */
export async function reportsIn(store: Pick<Store, 'runsOf'>, workflowId: string): Promise<PastReport[]> {
  return (await store.runsOf([workflowId])).reverse().flatMap(reportOf);
}

/** None for a lead, and for a sub-agent that has not ended with a report. */
function reportOf({ id, conversationId, kind, agent, title, endedAt, text, outcome }: RunRow): PastReport[] {
  const isReport = kind !== 'lead' && kind !== 'coagent' && (outcome === 'completed' || outcome === 'partial');
  return isReport && text !== '' && endedAt !== null
    ? [{ runId: id, conversationId, agent, title, endedAt, text }]
    : [];
}

/** The text of one: of a sub-agent of the conversation, or among the past ones of the folder; else null. Throws `conflict` while it works. */
export async function reportText(
  store: Pick<Store, 'run' | 'workflows' | 'runsOf'>,
  { conversationId, folder }: { conversationId: string; folder: string },
  runId: string,
): Promise<string | null> {
  const run = await store.run(runId);
  if (!run || run.parentRunId === null) return null;
  if (run.conversationId !== conversationId) {
    const past = await pastReports(store, folder);
    return past.find((report) => report.runId === runId)?.text ?? null;
  }
  if (run.outcome === null) throw new TriadError('conflict', 'It has not ended yet: its report is handed to you then');
  return run.text;
}
