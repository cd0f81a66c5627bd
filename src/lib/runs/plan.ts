/** The progress of a plan. */
import type { PlanItem } from '#contract/message.ts';

export interface PlanProgress {
  done: number;
  all: number;
  /** The step in progress, or the next one; null where all are done. */
  current: PlanItem | null;
}

export function progressOf(items: readonly PlanItem[]): PlanProgress {
  return {
    done: items.filter(({ status }) => status === 'completed').length,
    all: items.length,
    current:
      items.find(({ status }) => status === 'in_progress') ?? items.find(({ status }) => status === 'pending') ?? null,
  };
}
