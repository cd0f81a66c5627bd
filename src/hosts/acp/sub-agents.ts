/** Runs below the lead as tool calls of the session: what each one does now, and what it has said. */
import type { SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { formatRunTitle } from '#contract/flows/run-title.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import { textContent } from './tool-call.ts';

/** The id of the tool call that a run below the lead appears as. */
export function runCallId(runId: string): string {
  return `run:${runId}`;
}

/** In `_meta.triad` of its tool call. */
export interface SubAgentState {
  runId: string;
  parentRunId: string;
  agent: string;
  kind: string;
  task: string;
  chain: readonly string[];
  status: Status;
  outcome: Outcome | null;
  /** The tool that it uses now. */
  tool: string | null;
  tokens: { input: number; output: number };
  /** Where its own updates go, if the client knows sessions of sub-agents. */
  sessionId: string | null;
}

interface Known {
  state: SubAgentState;
  title: string;
  said: string[];
}

const CALL_STATUS: Readonly<Record<Status, ToolCallStatus>> = {
  pending: 'pending',
  running: 'in_progress',
  completed: 'completed',
  error: 'failed',
  cancelled: 'failed',
};

export class SubAgents {
  readonly #runs = new Map<string, Known>();
  readonly #sessions: boolean;

  /** `sessions`: whether each one has a session of its own. */
  constructor(sessions: boolean) {
    this.#sessions = sessions;
  }

  /** For the session of the lead. */
  of(event: AgentEvent): SessionUpdate[] {
    if (event.type === 'run-queue') return this.#queued(event);
    const known = this.#runs.get(event.runId);
    if (!known) return [];
    const { state } = known;
    switch (event.type) {
      case 'run-start':
        return this.#told(known, { status: 'running', outcome: null });
      case 'tool-start':
        return this.#told(known, { tool: event.name });
      case 'tool-end':
        return this.#told(known, { tool: null });
      case 'usage': {
        const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = event.request;
        const input = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
        const tokens = { input: state.tokens.input + input, output: state.tokens.output + outputTokens };
        return this.#told(known, { tokens });
      }
      case 'message-end':
        return this.#spoke(known, event);
      case 'run-end': {
        const { outcome, error } = event;
        if (error) known.said.push(`${outcome}: ${error.message}`);
        return this.#told(known, { status: STATUS_OF[outcome], outcome, tool: null }, error !== null);
      }
      default:
        return [];
    }
  }

  #queued(event: Extract<DurableEvent, { type: 'run-queue' }>): SessionUpdate[] {
    const { runId, parentRunId, agent, kind, task, title, parentChain } = event;
    if (parentRunId === null || this.#runs.has(runId)) return [];
    const state: SubAgentState = {
      ...{ runId, parentRunId, agent, kind, task, chain: parentChain },
      ...{ status: 'pending', outcome: null, tool: null, tokens: { input: 0, output: 0 } },
      sessionId: this.#sessions ? runId : null,
    };
    const words = formatRunTitle({ agent, title });
    this.#runs.set(runId, { state, title: words, said: [] });
    const about = { toolCallId: runCallId(runId), title: words, kind: 'other' as const };
    return [{ sessionUpdate: 'tool_call', ...about, status: 'pending', rawInput: { agent, task }, _meta: meta(state) }];
  }

  #spoke(known: Known, { entry }: Extract<DurableEvent, { type: 'message-end' }>): SessionUpdate[] {
    if (entry.kind !== 'assistant' || entry.interrupted) return [];
    const text = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    if (text.trim() === '') return [];
    known.said.push(text);
    return this.#told(known, {}, true);
  }

  #told(known: Known, change: Partial<SubAgentState>, spoke = false): SessionUpdate[] {
    known.state = { ...known.state, ...change };
    const { runId, status } = known.state;
    const content = spoke ? { content: known.said.map(textContent) } : {};
    const about = { toolCallId: runCallId(runId), title: known.title, status: CALL_STATUS[status] };
    return [{ sessionUpdate: 'tool_call_update', ...about, ...content, _meta: meta(known.state) }];
  }
}

function meta(state: SubAgentState): { triad: SubAgentState } {
  return { triad: state };
}
