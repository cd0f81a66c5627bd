/** The last output of running calls. */
import type { HintEvent } from '#contract/event.ts';

export type Output = Pick<Extract<HintEvent, { type: 'tool-output' }>, 'runId' | 'toolCallId' | 'tail' | 'bytes'>;

/** Replaces the output of a call. */
export function withOutput<V extends { outputs: readonly Output[] }>(
  view: V,
  { runId, toolCallId, tail, bytes }: Output,
): V {
  return { ...view, outputs: [...outputsWithout(view.outputs, runId, toolCallId), { runId, toolCallId, tail, bytes }] };
}

/** Returns the outputs without that of a call, or without those of all calls of a run. */
export function outputsWithout(outputs: readonly Output[], runId: string, toolCallId?: string): Output[] {
  return outputs.filter((output) => output.runId !== runId || (toolCallId ?? output.toolCallId) !== output.toolCallId);
}
