/** Where a run stands: what the end of a failed one carries, so that nothing else is needed to find out what was tried. */
import type { FailureContext } from '#contract/event.ts';
import type { RunRow } from '#contract/view.ts';

export function failureContextOf({
  traceId,
  parentChain,
  kind,
  title,
}: Pick<RunRow, 'traceId' | 'parentChain' | 'kind' | 'title'>): FailureContext {
  return { traceId, parentChain, attempted: `${kind}: ${title}` };
}
