/** Maps events of sub-agents to stream chunks: start, report, error. */
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { STATUS_OF } from '#contract/status-of.ts';

export interface ChunkMetrics {
  duration_ms: number;
  /** All classes of input: fresh, read from the cache, written to it. */
  tokens_input: number;
  tokens_output: number;
}

export interface SubAgentChunk {
  type: 'sub_agent_start' | 'sub_agent_complete' | 'sub_agent_error';
  workflow_id: string;
  /** Run ids, not agent names: the same agent may run twice in one workflow. */
  parent_agent_id: string;
  sub_agent_id: string;
  sub_agent_name: string;
  /** Empty for a start. A partial report comes with the error that cut it short, an error with what was written before it. */
  data: { report?: string; error?: string; metrics?: ChunkMetrics };
}

/** Null for events of the lead, and for those between a sub-agent's start and end. */
export function streamChunk(event: AgentEvent): SubAgentChunk | null {
  if (event.parentRunId === null) return null;
  const who = {
    workflow_id: event.workflowId,
    parent_agent_id: event.parentRunId,
    sub_agent_id: event.runId,
    sub_agent_name: event.agent,
  };
  switch (event.type) {
    case 'run-start':
      return { type: 'sub_agent_start', ...who, data: {} };
    case 'run-end':
      return { ...who, ...ended(event) };
    case 'workflow-start':
    case 'workflow-end':
    case 'run-queue':
    case 'turn-start':
    case 'turn-end':
    case 'message-start':
    case 'request-start':
    case 'message-delta':
    case 'message-part':
    case 'message-end':
    case 'thinking-delta':
    case 'handoff':
    case 'tool-start':
    case 'tool-delta':
    case 'tool-output':
    case 'tool-end':
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
    case 'workflow-leave':
    case 'workflow-fork':
    case 'run-again':
    case 'compaction':
    case 'compaction-undo':
    case 'limit-change':
    case 'run-say':
    case 'notice':
      return null;
  }
}

type Ended = Pick<SubAgentChunk, 'type' | 'data'>;

function ended(event: Extract<DurableEvent, { type: 'run-end' }>): Ended {
  const { outcome, text, error, durationMs, usage } = event;
  const completed = STATUS_OF[outcome] === 'completed';
  return {
    type: completed ? 'sub_agent_complete' : 'sub_agent_error',
    data: {
      ...(completed || text !== '' ? { report: text } : {}),
      ...(outcome === 'completed' ? {} : { error: error?.message ?? outcome }),
      metrics: {
        duration_ms: Math.round(durationMs),
        tokens_input: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
        tokens_output: usage.outputTokens,
      },
    },
  };
}
