/** Model requests that failed and will be made again, by the run that makes them. Pure. */
import type { DurableEvent } from '#contract/event.ts';
import type { OpenMessage } from '#contract/view.ts';

type Failed = Extract<DurableEvent, { type: 'retry' }>;
export type Retry = Pick<Failed, 'attempt' | 'delayMs' | 'error' | 'at'>;

interface Retrying {
  retries: Readonly<Record<string, Retry>>;
  open: OpenMessage[];
}

/** What had come of the response is gone. */
export function retried<V extends Retrying>(view: V, { runId, attempt, delayMs, error, at }: Failed): V {
  const open = view.open.filter((message) => message.runId !== runId);
  return { ...view, open, retries: { ...view.retries, [runId]: { attempt, delayMs, error, at } } };
}

/** Removes the pending retry of a run, since it shows activity. */
export function withoutRetry<V extends Retrying>(view: V, runId: string): V {
  if (!(runId in view.retries)) return view;
  return { ...view, retries: Object.fromEntries(Object.entries(view.retries).filter(([id]) => id !== runId)) };
}
