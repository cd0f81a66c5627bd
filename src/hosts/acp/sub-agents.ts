/** Runs below the lead as tool calls of the session: what each one does now, and what it has said. */
import type { SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { formatRunTitle } from '#contract/flows/run-title.ts';
import type { Outcome, Status } from '#contract/outcome.ts';
import type { RowReader } from '#contract/rows.ts';
import type { RunRow } from '#contract/view.ts';
import { inputTokensOf } from '#domain/tally.ts';
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

/** The state of a sub-agent that is in no row. */
interface Work {
  tool: string | null;
  /** Its texts and its error, in order. */
  texts: string[];
}

const CALL_STATUS: Readonly<Record<Status, ToolCallStatus>> = {
  pending: 'pending',
  running: 'in_progress',
  completed: 'completed',
  error: 'failed',
  cancelled: 'failed',
};

export class SubAgents {
  readonly #rows: RowReader;
  readonly #works = new Map<string, Work>();
  readonly #sessions: boolean;

  /** `rows` must include an event before `of` gets it. `sessions`: whether each sub-agent has its own session. */
  constructor(rows: RowReader, sessions: boolean) {
    this.#rows = rows;
    this.#sessions = sessions;
  }

  /** For the session of the lead. */
  of(event: AgentEvent): SessionUpdate[] {
    const run = this.#rows.get('run', event.runId);
    if (!run) return [];
    if (event.type === 'run-queue') return this.#queued(run);
    const work = this.#works.get(event.runId);
    if (!work) return [];
    switch (event.type) {
      case 'run-start':
      case 'usage':
        return this.#update(run, work);
      case 'tool-start':
        work.tool = event.name;
        return this.#update(run, work);
      case 'tool-end':
        work.tool = null;
        return this.#update(run, work);
      case 'message-end':
        return this.#spoke(run, work, event);
      case 'run-end': {
        const { outcome, error } = event;
        if (error) work.texts.push(`${outcome}: ${error.message}`);
        work.tool = null;
        return this.#update(run, work, error !== null);
      }
      default:
        return [];
    }
  }

  #queued(run: RunRow): SessionUpdate[] {
    if (run.parentRunId === null || this.#works.has(run.id)) return [];
    const work = { tool: null, texts: [] };
    this.#works.set(run.id, work);
    const about = { toolCallId: runCallId(run.id), title: formatRunTitle(run), kind: 'other' as const };
    const rawInput = { agent: run.agent, task: run.task };
    return [{ sessionUpdate: 'tool_call', ...about, status: 'pending', rawInput, _meta: this.#meta(run, work) }];
  }

  #spoke(run: RunRow, work: Work, { entry }: Extract<DurableEvent, { type: 'message-end' }>): SessionUpdate[] {
    if (entry.kind !== 'assistant' || entry.interrupted) return [];
    const text = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    if (text.trim() === '') return [];
    work.texts.push(text);
    return this.#update(run, work, true);
  }

  #update(run: RunRow, work: Work, hasNewText = false): SessionUpdate[] {
    const content = hasNewText ? { content: work.texts.map(textContent) } : {};
    const about = { toolCallId: runCallId(run.id), title: formatRunTitle(run), status: CALL_STATUS[run.status] };
    return [{ sessionUpdate: 'tool_call_update', ...about, ...content, _meta: this.#meta(run, work) }];
  }

  #meta(run: RunRow, { tool }: Work): { triad: SubAgentState } {
    const { id: runId, agent, kind, task, parentChain: chain, status, outcome, usage } = run;
    const tokens = { input: inputTokensOf(usage), output: usage.outputTokens };
    const sessionId = this.#sessions ? runId : null;
    const parentRunId = run.parentRunId ?? '';
    return { triad: { runId, parentRunId, agent, kind, task, chain, status, outcome, tool, tokens, sessionId } };
  }
}
