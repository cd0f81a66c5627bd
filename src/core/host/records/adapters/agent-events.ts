/** Maps the events of one run to agent loop events: text, tool calls, iterations and the end of the turn. */
import type { ErrorCode } from '#contract/error.ts';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { ToolStatus } from '#contract/message.ts';
import type { Outcome } from '#contract/outcome.ts';
import { STATUS_OF } from '#domain/status-of.ts';

export type LoopEvent =
  | { type: 'TextDelta'; text: string }
  | { type: 'ThinkingDelta'; text: string }
  | { type: 'ToolCallStart'; id: string; name: string; arguments: unknown }
  | { type: 'ToolCallEnd'; id: string; result: ToolCallResult }
  /** `iteration` counts from 1. */
  | { type: 'IterationComplete'; iteration: number }
  | { type: 'TurnComplete'; outcome: Outcome; text: string }
  | { type: 'HandoffTo'; agent: string; prompt: string }
  | { type: 'Error'; code: ErrorCode | Outcome; message: string }
  | { type: 'Cancelled'; reason: string }
  | { type: 'DoomLoopDetected'; message: string };

export interface ToolCallResult {
  status: ToolStatus;
  output: string;
  metadata: Record<string, unknown>;
}

/**
 * Pass the events of one run only (filter by `runId`). A tool call that is refused before it starts has an end without
 * a start.
 */
export function loopEvent(event: AgentEvent): LoopEvent | null {
  switch (event.type) {
    case 'message-delta':
      return { type: 'TextDelta', text: event.text };
    case 'thinking-delta':
      return { type: 'ThinkingDelta', text: event.text };
    case 'tool-start':
      return { type: 'ToolCallStart', id: event.toolCallId, name: event.name, arguments: event.input };
    case 'tool-end': {
      const { toolCallId, status, output, metadata } = event.entry;
      return { type: 'ToolCallEnd', id: toolCallId, result: { status, output, metadata } };
    }
    case 'turn-end':
      return { type: 'IterationComplete', iteration: event.turn + 1 };
    case 'message-end':
      return 'code' in event.entry && event.entry.code === 'doom_loop'
        ? { type: 'DoomLoopDetected', message: event.entry.text }
        : null;
    case 'handoff':
      return event.entry.back ? null : { type: 'HandoffTo', agent: event.entry.to, prompt: event.entry.prompt };
    case 'run-end':
      return ended(event);
    case 'workflow-start':
    case 'workflow-end':
    case 'run-queue':
    case 'run-start':
    case 'turn-start':
    case 'message-start':
    case 'request-start':
    case 'message-part':
    case 'tool-delta':
    case 'tool-output':
    case 'approval-request':
    case 'approval-decide':
    case 'context-request':
    case 'context-end':
    case 'retry':
    case 'request-silent':
    case 'usage':
    case 'plan-change':
    case 'memory-change':
    case 'grant-change':
    case 'change-undo':
    case 'workflow-fork':
    case 'compaction':
    case 'compaction-undo':
    case 'limit-change':
    case 'run-say':
    case 'notice':
      return null;
  }
}

/** `completed` and `partial` complete the turn, `cancelled` and `rejected` cancel it; all other outcomes are errors. */
function ended({ outcome, text, error }: Extract<DurableEvent, { type: 'run-end' }>): LoopEvent {
  const message = error?.message ?? outcome;
  const status = STATUS_OF[outcome];
  if (status === 'completed') return { type: 'TurnComplete', outcome, text };
  if (status === 'cancelled') return { type: 'Cancelled', reason: message };
  return { type: 'Error', code: error?.code ?? outcome, message };
}
