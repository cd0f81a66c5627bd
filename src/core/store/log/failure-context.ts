/** Context that the end of a failed run carries: enough to see what was attempted without reading other events. */
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
