/** What the history tells of a message, a run, a model request, a call and a handoff, as spans. Pure. */
import { endedCall, wroteOf } from '#domain/call-row.ts';
import type { HandoffEntry, ToolEntry } from '#contract/message.ts';
import type { Outcome, Tally } from '#contract/outcome.ts';
import type { RunRow } from '#contract/view.ts';
import { STATUS_OF } from '#domain/status-of.ts';
import { addTally, tallyOf } from '#domain/tally.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { mcpServerOf } from '#core/agents/mcp-names.ts';
import { getFailureReason } from '#contract/history/failure-reason.ts';
import { DOORS, ERROR_TYPE, GEN_AI, INNER, LEVELS, PROMPT, TRIAD } from './names.ts';
import {
  agentSpanId,
  type Asked,
  type Call,
  type Event,
  type Handed,
  findParentId,
  promptSpanId,
  type RunState,
  type WorkflowState,
} from './run-state.ts';
import { type Attributes, contentOf, jsonOf, messageOf, type Span, tokensOf } from './span.ts';

export interface Mapping {
  workflow: WorkflowState;
  /** Whether prompts, answers, arguments and results are told. */
  content: boolean;
}

/** The outer level: one message until its answer, or one attempt at it. */
export function promptSpan({ workflow, content }: Mapping, event: Event<'workflow-end'>): Span {
  const { traceId, id, attempt, via, conversationId, start, tally, prompt } = workflow;
  const lead = workflow.runs.get(workflow.leadRunId);
  const level = via === undefined ? 'prompt' : DOORS[via];
  const { outcome, error, text, agent } = event;
  const iterations = lead?.handoffs.length ?? 0;
  return {
    traceId,
    spanId: promptSpanId(workflow),
    parentId: null,
    name: level,
    kind: 'internal',
    start,
    end: Date.parse(event.at),
    attributes: {
      [GEN_AI.operation]: 'invoke_workflow',
      [GEN_AI.workflow]: agent,
      [GEN_AI.conversation]: conversationId,
      [PROMPT.agent]: agent,
      [PROMPT.session]: conversationId,
      [PROMPT.text]: contentOf(content, prompt),
      [PROMPT.tokens]: allTokens(tally),
      [PROMPT.durationMs]: Math.max(0, Date.parse(event.at) - start),
      [PROMPT.toolCalls]: workflow.toolCalls,
      [PROMPT.iterations]: Math.max(1, iterations),
      [GEN_AI.output]: messageOf(content, 'assistant', text),
      ...tokensOf(tally),
      ...costOf(tally),
      ...common(level, workflow.id, attempt),
      [TRIAD.path]: `/history/${id}`,
      [TRIAD.outcome]: outcome,
      [ERROR_TYPE]: failed(outcome) ? (error?.code ?? outcome) : undefined,
    },
    events: [],
    link: attempt > 1 ? spanIdOf(id, ['prompt', attempt - 1]) : null,
    error: failed(outcome) ? (error?.message ?? outcome) : null,
  };
}

/** One attempt of a run; of one that never started the time in which it waited. */
export function agentSpan({ workflow, content }: Mapping, run: RunState, event: Event<'run-end'>): Span {
  const { row, attempt, tally, startedAt } = run;
  const { envelope, agent, id: runId, kind, place } = row;
  const queuedAt = Date.parse(row.queuedAt);
  const { outcome, error, text, at } = event;
  return {
    traceId: workflow.traceId,
    spanId: agentSpanId(row, attempt),
    parentId: findParentId(workflow, run),
    name: `invoke_agent ${agent}`,
    kind: 'internal',
    start: startedAt ?? queuedAt,
    end: Date.parse(at),
    attributes: {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.agentId]: runId,
      [GEN_AI.agentName]: agent,
      [GEN_AI.provider]: envelope.provider,
      [GEN_AI.requestModel]: envelope.model,
      [GEN_AI.conversation]: row.conversationId,
      [INNER.agentName]: agent,
      [INNER.agentRole]: getRole(kind, place),
      [GEN_AI.system]: contentOf(content, envelope.systemPrompt),
      [GEN_AI.input]: messageOf(content, 'user', envelope.prompt),
      [GEN_AI.output]: messageOf(content, 'assistant', text),
      ...tokensOf(tally),
      ...costOf(tally),
      ...ofRun(LEVELS.agent, run),
      [TRIAD.queuedMs]: startedAt === null ? Date.parse(at) - queuedAt : Math.round(run.queuedMs),
      [TRIAD.durationMs]: event.durationMs,
      [TRIAD.outcome]: outcome,
      [ERROR_TYPE]: failed(outcome) ? (error?.code ?? outcome) : undefined,
    },
    events: [],
    link: attempt > 1 ? agentSpanId(row, attempt - 1) : null,
    error: failed(outcome) ? withoutReason(error?.message ?? outcome, content) : null,
  };
}

/** One logical request with all attempts at it, of which each is an event. */
export function requestSpan({ workflow, content }: Mapping, run: RunState, { attempts, answer }: Asked): Span {
  const [first] = attempts;
  const last = attempts.at(-1)!;
  const { envelope } = run.row;
  const tally = attempts.map(tallyOf).reduce(addTally);
  const start = Date.parse(first.startedAt);
  return {
    traceId: workflow.traceId,
    spanId: spanIdOf(workflow.id, ['request', first.requestId]),
    parentId: agentSpanId(run.row, run.attempt),
    name: `chat ${last.model}`,
    kind: 'client',
    start,
    end: Date.parse(last.startedAt) + last.durationMs,
    attributes: {
      [GEN_AI.operation]: 'chat',
      [GEN_AI.provider]: last.provider,
      [GEN_AI.conversation]: run.row.conversationId,
      [GEN_AI.agentName]: run.row.agent,
      [GEN_AI.requestModel]: last.model,
      [GEN_AI.maxTokens]: envelope.maxTokens,
      [GEN_AI.temperature]: envelope.temperature,
      [GEN_AI.stream]: true,
      [GEN_AI.responseId]: answer?.responseId ?? undefined,
      [GEN_AI.finishReasons]: last.stopReason === null ? undefined : [last.stopReason],
      [GEN_AI.firstChunk]: last.firstTokenMs === null ? undefined : last.firstTokenMs / 1000,
      [GEN_AI.output]: answer === null ? undefined : answerOf(content, answer.parts, last.stopReason),
      ...tokensOf(tally),
      [GEN_AI.thinking]: attempts.reduce((sum, { thinkingTokens }) => sum + thinkingTokens, 0),
      ...costOf(tally),
      ...ofRun(LEVELS.request, run),
      [TRIAD.requestId]: last.requestId,
      [TRIAD.purpose]: last.purpose,
      [TRIAD.attempts]: attempts.length,
      [TRIAD.estimated]: attempts.some(({ reported }) => !reported),
      [ERROR_TYPE]: last.error?.code,
    },
    events: attempts.map(attemptEvent),
    link: null,
    error: last.error?.message ?? null,
  };
}

function attemptEvent(request: Asked['attempts'][number]): Span['events'][number] {
  const { attempt, requestId, error, startedAt, durationMs } = request;
  return {
    name: 'attempt',
    at: Date.parse(startedAt),
    attributes: {
      [TRIAD.attempt]: attempt,
      [TRIAD.requestId]: requestId,
      [TRIAD.durationMs]: durationMs,
      ...tokensOf(tallyOf(request)),
      [ERROR_TYPE]: error?.code,
      'exception.message': error?.message,
    },
  };
}

/** A call that ended, or was open when its run did. */
export function toolSpan(
  { workflow, content }: Mapping,
  run: RunState,
  call: Call,
  end: Event<'tool-end'> | { at: string; outcome: Outcome },
): Span {
  const row = 'entry' in end ? endedCall(end) : null;
  const entry = 'entry' in end ? end.entry : null;
  const start = row === null ? call.start : Date.parse(row.startedAt);
  const status = entry?.status ?? STATUS_OF[(end as { outcome: Outcome }).outcome];
  const files = row === null ? [] : wroteOf(row);
  const input = call.input === undefined ? undefined : jsonOf(content, call.input);
  const isFailed = status !== 'completed' || entry === null;
  const type = 'outcome' in end ? end.outcome : entry?.metadata['refused'] === true ? 'refused' : status;
  return {
    traceId: workflow.traceId,
    spanId: call.spanId,
    parentId: agentSpanId(run.row, run.attempt),
    name: `execute_tool ${call.name}`,
    kind: 'internal',
    start,
    end: Date.parse(end.at),
    attributes: {
      [GEN_AI.operation]: 'execute_tool',
      [GEN_AI.toolName]: call.name,
      [GEN_AI.toolCallId]: call.id,
      [INNER.toolName]: call.name,
      [INNER.toolArguments]: input,
      [GEN_AI.toolArguments]: input,
      [INNER.toolStatus]: entry?.status ?? 'interrupted',
      [INNER.toolDurationMs]: entry?.durationMs ?? Date.parse(end.at) - start,
      [INNER.filesModified]: files,
      [GEN_AI.toolResult]: entry === null ? undefined : contentOf(content, entry.output),
      ...ofRun(LEVELS.tool, run),
      [ERROR_TYPE]: isFailed ? type : undefined,
    },
    events: [],
    link: null,
    error: isFailed ? ((entry && getFailureText(entry, content)) ?? type) : null,
  };
}

/** Returns the reason of a failed call. The errors of an MCP server are content. */
function getFailureText({ status, output, metadata, name }: ToolEntry, content: boolean): string | null {
  if (!content && mcpServerOf(name) !== null && metadata['refused'] !== true) return null;
  const reason = getFailureReason({ status, output: contentOf(true, output) ?? '', metadata });
  return reason && withoutReason(reason, content);
}

/** A rejection without its reason, which the person writes: it is content. */
function withoutReason(message: string, content: boolean): string {
  return content ? message : message.replace(/^(Rejected[^:,.]*)[:,.][^]*$/, '$1');
}

/** From the agent to its coagent and back, or until its run ended. */
export function handoffSpan(
  { workflow, content }: Mapping,
  run: RunState,
  { entry, start, spanId }: Handed,
  end: { at: string } & ({ back: NonNullable<HandoffEntry['back']> } | { outcome: Outcome }),
): Span {
  const outcome = 'back' in end ? end.back.outcome : end.outcome;
  const isFailed = 'outcome' in end || failed(outcome);
  return {
    traceId: workflow.traceId,
    spanId,
    parentId: agentSpanId(run.row, run.attempt),
    name: `handoff ${entry.to}`,
    kind: 'internal',
    start,
    end: Date.parse(end.at),
    attributes: {
      [INNER.handoffFrom]: entry.from,
      [INNER.handoffTo]: entry.to,
      [INNER.handoffPrompt]: contentOf(content, entry.prompt),
      [TRIAD.round]: entry.round,
      ...ofRun(LEVELS.handoff, run),
      [TRIAD.outcome]: outcome,
      [ERROR_TYPE]: isFailed ? outcome : undefined,
    },
    events: [],
    link: null,
    error: isFailed ? outcome : null,
  };
}

function ofRun(level: string, { row, attempt }: RunState): Attributes {
  return {
    ...common(level, row.workflowId, attempt),
    [TRIAD.run]: row.id,
    [TRIAD.path]: `/history/${row.workflowId}?run=${row.id}`,
  };
}

function common(level: string, workflowId: string, attempt: number): Attributes {
  return { [TRIAD.span]: level, [TRIAD.workflow]: workflowId, [TRIAD.attempt]: attempt };
}

function getRole(kind: RunRow['kind'], place: RunRow['place']): string {
  if (kind === 'lead') return 'lead';
  if (kind === 'coagent') return 'coagent';
  return kind === 'chain' && typeof place === 'number' ? 'stage' : 'sub-agent';
}

const failed = (outcome: Outcome): boolean => STATUS_OF[outcome] !== 'completed';

function allTokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Tally): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Left out where a price is not known. */
function costOf({ nanoUsd, unpriced }: Tally): Attributes {
  return { [TRIAD.costUsd]: unpriced > 0 ? undefined : nanoUsd / 1e9 };
}

type Parts = NonNullable<Asked['answer']>['parts'];

/** As the conventions write messages; without thinking. */
function answerOf(content: boolean, parts: Parts, finish: string | null): string | undefined {
  const said = parts.flatMap((part): object[] => {
    if (part.type === 'text') return [{ type: 'text', content: part.text }];
    if (part.type === 'tool_use') return [{ type: 'tool_call', id: part.id, name: part.name, arguments: part.input }];
    return [];
  });
  return jsonOf(content, [{ role: 'assistant', parts: said, finish_reason: finish ?? 'error' }]);
}
