/** What the demo answers or has played: scripted and offline, and labelled so wherever it shows. */
import type { AppState } from '#contract/app-state.ts';
import { DEMO, DEMO_NOTICE } from '#contract/providers/demo.ts';
import type { RunRow, ToolCallRow, WorkflowRow } from '#contract/view.ts';

/** Whether the demo answers what is sent now; false until the settings were read. */
export function usesDemo(settings: Pick<AppState, 'provider'> | null): boolean {
  return settings?.provider.type === DEMO;
}

/** Whether the demo played a run; false for a run that is not known. */
export function isDemoRun(run: Pick<RunRow, 'envelope'> | undefined): boolean {
  return run?.envelope.provider === DEMO;
}

/**
 * How many acts of the script a conversation has had, by the names of the calls in it: the next message plays the one after
 * that.
 */
export function demoActs(
  workflows: readonly Pick<WorkflowRow, 'runId'>[],
  calls: readonly Pick<ToolCallRow, 'runId' | 'toolCallId'>[],
): number {
  const leads = new Set(workflows.map(({ runId }) => runId));
  const acts = calls.flatMap(({ runId, toolCallId }) =>
    leads.has(runId) ? Number(/^demo_act(\d+)_/.exec(toolCallId)?.[1] ?? 0) : [],
  );
  return Math.max(0, ...acts);
}

/** What is told beside a run's transcript; that the demo plays it, the header of the page says once. */
export function noticesOf({ notices }: Pick<RunRow, 'notices'>): NonNullable<RunRow['notices']> {
  return (notices ?? []).filter(({ text }) => text !== DEMO_NOTICE);
}
