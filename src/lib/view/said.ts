/** What the person said to a run while it worked. Pure. */
import type { DurableEvent } from '#contract/event.ts';
import type { RunRow } from '#contract/view.ts';

type Said = Extract<DurableEvent, { type: 'run-say' }>;

export function withWord({ said }: Pick<RunRow, 'said'>, { wordId: id, text, at }: Said): Pick<RunRow, 'said'> {
  return { said: [...(said ?? []), { id, text, at }] };
}
