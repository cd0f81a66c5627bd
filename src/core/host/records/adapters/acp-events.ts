/** Maps the events of one run to what a client of the Agent Client Protocol is told of: words, calls, the plan, its end. */
import type { ErrorCode } from '#contract/error.ts';
import type { AgentEvent } from '#contract/event.ts';
import type { PlanItem } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import { loopEvent, type ToolCallResult } from './agent-events.ts';

export type AcpEvent =
  | { type: 'MessageChunk'; text: string }
  | { type: 'ThoughtChunk'; text: string }
  | { type: 'ToolCallStart'; id: string; name: string; arguments: unknown; status: 'in_progress' }
  | { type: 'ToolCallEnd'; id: string; result: ToolCallResult; status: 'completed' | 'failed' }
  | { type: 'Plan'; items: readonly PlanItem[] }
  /** The turn of the protocol ends with it, as with the next two. */
  | { type: 'TaskComplete'; text: string }
  | { type: 'Cancelled' }
  | { type: 'Error'; code: ErrorCode | Outcome; message: string };

/** Null for what is not told: handoffs, and the ends of iterations. Pass the events of one run, as for `loopEvent`. */
export function acpEvent(event: AgentEvent): AcpEvent | null {
  if (event.type === 'plan-change') return { type: 'Plan', items: event.items };
  const loop = loopEvent(event);
  switch (loop?.type) {
    case 'TextDelta':
      return { type: 'MessageChunk', text: loop.text };
    case 'ThinkingDelta':
      return { type: 'ThoughtChunk', text: loop.text };
    case 'ToolCallStart':
      return { ...loop, status: 'in_progress' };
    case 'ToolCallEnd':
      return { ...loop, status: loop.result.status === 'completed' ? 'completed' : 'failed' };
    case 'TurnComplete':
      return { type: 'TaskComplete', text: loop.text };
    case 'Cancelled':
      return { type: 'Cancelled' };
    case 'Error':
      return { type: 'Error', code: loop.code, message: loop.message };
    case 'DoomLoopDetected':
      return { type: 'Error', code: 'doom_loop', message: loop.message };
    case 'HandoffTo':
    case 'IterationComplete':
    case undefined:
      return null;
  }
}
