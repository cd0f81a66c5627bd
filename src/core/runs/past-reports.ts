/** Reports of sub-agents in earlier workflows of a folder: what its agents may search besides its notes. */
import type { Store } from '../store/store.ts';
import type { PastReport } from '../tools/note-search.ts';

/** So many of the newest workflows of the folder are looked at, and so many reports taken. */
const WORKFLOWS = 200;
const REPORTS = 200;
const PAGE = 100;

/** Newest first, without those of a workflow that runs and of conversations in the trash. */
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
    for (const { id, parentRunId, agent, title, endedAt, text, outcome } of runs) {
      const isReport = parentRunId !== null && (outcome === 'completed' || outcome === 'partial');
      if (isReport && text !== '' && endedAt !== null) reports.push({ runId: id, agent, title, endedAt, text });
    }
    before = page.next;
  }
  return reports.slice(0, REPORTS);
}
