/** Reports the progress of sub-agents to an observer: starts, ends, and failures with their severity. */
import type { ErrorCode } from '#contract/error.ts';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { Outcome } from '#contract/outcome.ts';
import { summaryOf } from '#contract/messages/short-text.ts';

/** `text` is one line for display; a terminal must still escape control characters in it. */
export interface AgentSpawn {
  runId: string;
  agent: string;
  /** 1 for the first start; greater if it was resumed. */
  attempt: number;
  text: string;
}

export interface AgentComplete {
  runId: string;
  agent: string;
  outcome: Outcome;
  /** The beginning of the report's Summary section, indented below the start line. */
  text: string;
}

export type Severity = 'error' | 'warning';

export interface AgentError {
  runId: string;
  agent: string;
  outcome: Outcome;
  errorType: ErrorCode | Outcome;
  severity: Severity;
  /** The whole error message; the run's transcript has the rest. */
  message: string;
  text: string;
}

export interface ProgressObserver {
  onAgentSpawn(spawn: AgentSpawn): void;
  onAgentComplete(complete: AgentComplete): void;
  onAgentError(error: AgentError): void;
}

/** Severity by outcome: decisions of people and resumable ends are warnings; null: not a failure. */
const SEVERITY: Readonly<Record<Outcome, Severity | null>> = {
  completed: null,
  partial: null,
  cancelled: 'warning',
  rejected: 'warning',
  interrupted: 'warning',
  timed_out: 'error',
  budget_exceeded: 'error',
  refused: 'error',
  error: 'error',
};

/** Calls the observer synchronously if the event starts or ends a sub-agent. */
export function observe(event: AgentEvent, observer: ProgressObserver): void {
  if (event.parentRunId === null) return;
  switch (event.type) {
    case 'run-start': {
      const { runId, agent, attempt } = event;
      return observer.onAgentSpawn({ runId, agent, attempt, text: `→ Running ${agent} agent...` });
    }
    case 'run-end':
      return ended(event, observer);
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
    case 'tool-start':
    case 'tool-delta':
    case 'tool-output':
    case 'tool-end':
    case 'approval-request':
    case 'approval-decide':
    case 'context-request':
    case 'context-end':
    case 'handoff':
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
      return;
    default:
      // Compile-time check that every event type is handled.
      return event satisfies never;
  }
}

function ended(event: Extract<DurableEvent, { type: 'run-end' }>, observer: ProgressObserver): void {
  const { runId, agent, outcome, error } = event;
  const severity = SEVERITY[outcome];
  if (severity === null) {
    observer.onAgentComplete({ runId, agent, outcome, text: `  ${summaryOf(event.text)}` });
    return;
  }
  const errorType = error?.code ?? outcome;
  const message = error?.message ?? outcome;
  const text = `✗ ${agent}: ${errorType} (${severity})`;
  observer.onAgentError({ runId, agent, outcome, errorType, severity, message, text });
}
