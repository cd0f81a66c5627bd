/** Collects the reports of sub-agents in the background. Each report is returned exactly once. */
import type { Entry } from '#contract/message.ts';
import type { RunRow } from '#contract/view.ts';
import { orStopped } from '../../base/stop.ts';
import type { ChildReport } from '../../tools/children.ts';

export class BackgroundReports {
  readonly #signal: AbortSignal;
  readonly #working = new Set<Promise<ChildReport>>();
  readonly #ended: ChildReport[] = [];

  /** `signal`: stop signal of the lead. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  track(job: Promise<ChildReport>): void {
    const tracked = job.then((report) => {
      this.#working.delete(tracked);
      this.#ended.push(report);
      return report;
    });
    tracked.catch(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }

  /** Returns the new reports. `wait`: waits for the next one. Null if there is no report, or none can follow. */
  async reports(wait: boolean): Promise<{ text: string; runIds: string[] } | null> {
    // Reports that are ready resolve in this tick.
    await Promise.resolve();
    while (wait && this.#ended.length === 0 && this.#working.size > 0) {
      await orStopped(this.#signal, Promise.race(this.#working));
    }
    const reports = this.#ended.splice(0);
    if (reports.length === 0) return null;
    return { text: reports.map(wordsOf).join('\n\n---\n\n'), runIds: reports.map(({ runId }) => runId) };
  }
}

function wordsOf({ agent, runId, outcome, report, error, stages = [], gave = [], said = [] }: ChildReport): string {
  const why = error === null || error === outcome ? '' : ` (${error})`;
  const through = stages.map((stage) => `${stage.place} ${stage.agent} (${stage.runId}): ${stage.outcome}`);
  const chain = through.length === 0 ? '' : `. Its stages: ${through.join(', ')}`;
  const before = gave.map((run) => `\n\nWhat ${run.agent} (${run.runId}) gave before:\n\n${run.report}`);
  const told = said.map((text) => `\n\nWhile it worked, the person said to it:\n\n${text}`);
  return `Report of the sub-agent ${agent} (${runId}), outcome ${outcome}${why}${chain}:\n\n${report || error || ''}${before.join('')}${told.join('')}`;
}

/**
 * Returns true if the lead still waits for a report of this sub-agent. The first report is the result of the call that
 * requested it, unless the result says that the sub-agent works in the background. Each retry by the person adds one report.
 * `own`: entries of the sub-agent and of its stages.
 */
export function owesReport(
  child: Pick<RunRow, 'id' | 'toolCallId'>,
  own: readonly Entry[],
  lead: readonly Entry[],
): boolean {
  const result = lead.find((entry) => entry.kind === 'tool' && entry.toolCallId === child.toolCallId);
  if (result?.kind !== 'tool') return false;
  const left = result.metadata['background'];
  const worksOn = Array.isArray(left) && left.includes(child.id);
  const handed = lead.filter((entry) => 'reportsOf' in entry && entry.reportsOf?.includes(child.id)).length;
  const retries = own.filter((entry) => entry.kind === 'system' && entry.code === 'retried').length;
  return handed + (worksOn ? 0 : 1) < 1 + retries;
}
