/** Names of spans, attributes and instruments: the conventions of OpenTelemetry for generative AI, and ours beside them. */

/** Of the conventions. They are not final: what they rename is renamed here. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  workflow: 'gen_ai.workflow.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  stream: 'gen_ai.request.stream',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
  thinking: 'gen_ai.usage.reasoning.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  system: 'gen_ai.system_instructions',
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  tokenType: 'gen_ai.token.type',
} as const;

export const ERROR_TYPE = 'error.type';

/** Of the outer level: one message of the person, whatever door it came through. */
export const PROMPT = {
  agent: 'acp_agent.name',
  session: 'acp_session.id',
  text: 'acp.prompt',
  tokens: 'acp.total_tokens',
  durationMs: 'acp.total_duration_ms',
  toolCalls: 'acp.tool_calls_count',
  iterations: 'acp.control_flow.iterations',
} as const;

/** Of the inner level. */
export const INNER = {
  agentName: 'agent.name',
  agentRole: 'agent.role',
  toolName: 'tool.name',
  toolArguments: 'tool.arguments',
  toolStatus: 'tool.result.status',
  toolDurationMs: 'tool.result.duration_ms',
  filesModified: 'tool.result.files_modified',
  handoffFrom: 'handoff.from',
  handoffTo: 'handoff.to',
  handoffPrompt: 'handoff.prompt',
} as const;

export const TRIAD = {
  /** Which of `LEVELS` it is. */
  span: 'triad.span',
  workflow: 'triad.workflow.id',
  run: 'triad.run.id',
  /** Of the run or the workflow, from 1. */
  attempt: 'triad.attempt',
  outcome: 'triad.outcome',
  /** The page of the history that shows it, below the address of the app. */
  path: 'triad.history.path',
  queuedMs: 'triad.queued_ms',
  costUsd: 'triad.cost_usd',
  requestId: 'triad.request.id',
  purpose: 'triad.request.purpose',
  attempts: 'triad.request.attempts',
  estimated: 'triad.usage.estimated',
  durationMs: 'triad.duration_ms',
  round: 'triad.handoff.round',
} as const;

export const LEVELS = {
  agent: 'agent_turn',
  request: 'llm_completion',
  tool: 'tool_execution',
  handoff: 'handoff',
} as const;

/** The name of an outer span, by the door that the message came through. */
export const DOORS = { app: 'app_prompt', cli: 'cli_prompt', acp: 'acp_prompt' } as const;

export const METRICS = {
  tokenUsage: 'gen_ai.client.token.usage',
  operationDuration: 'gen_ai.client.operation.duration',
  tokens: 'triad.tokens',
  cost: 'triad.cost',
  toolCalls: 'triad.tool.calls',
  toolDuration: 'triad.tool.duration',
  agentDuration: 'triad.agent.duration',
  promptDuration: 'triad.prompt.duration',
} as const;
