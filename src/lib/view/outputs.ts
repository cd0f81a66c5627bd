/** What running calls have printed last. */
import type { HintEvent } from '#contract/event.ts';
import type { ToolCallRow } from '#contract/view.ts';

export type Output = Pick<Extract<HintEvent, { type: 'tool-output' }>, 'runId' | 'toolCallId' | 'tail' | 'bytes'>;

interface Outputs {
  calls: readonly ToolCallRow[];
  outputs: readonly Output[];
}

/** Only of a call that runs: a late one shows nothing again. */
export function withOutput<V extends Outputs>(view: V, { runId, toolCallId, tail, bytes }: Output): V {
  const row = view.calls.find((call) => call.runId === runId && call.toolCallId === toolCallId);
  if (row?.status !== 'running') return view;
  return { ...view, outputs: [...outputsWithout(view, runId, toolCallId), { runId, toolCallId, tail, bytes }] };
}

/** Without that of a call, or of all calls of a run. */
export function outputsWithout({ outputs }: Pick<Outputs, 'outputs'>, runId: string, toolCallId?: string): Output[] {
  return outputs.filter((output) => output.runId !== runId || (toolCallId ?? output.toolCallId) !== output.toolCallId);
}
