/** What a finished span adds to the metrics. Pure. */
import { ERROR_TYPE, GEN_AI, INNER, LEVELS, METRICS, TRIAD } from './names.ts';
import type { Attributes, Span } from './span.ts';

export interface Measurement {
  metric: (typeof METRICS)[keyof typeof METRICS];
  value: number;
  attributes: Attributes;
}

export function measurementsOf(span: Span): Measurement[] {
  const { attributes } = span;
  const seconds = Math.max(0, span.end - span.start) / 1000;
  const outcome = { [TRIAD.outcome]: attributes[TRIAD.outcome] };
  const type = { [ERROR_TYPE]: attributes[ERROR_TYPE] };
  switch (attributes[TRIAD.span]) {
    case LEVELS.request:
      return ofRequest(span, seconds);
    case LEVELS.tool: {
      const of = { [GEN_AI.toolName]: attributes[GEN_AI.toolName], [INNER.toolStatus]: attributes[INNER.toolStatus] };
      return [
        { metric: METRICS.toolCalls, value: 1, attributes: { ...of, ...type } },
        { metric: METRICS.toolDuration, value: seconds, attributes: of },
      ];
    }
    case LEVELS.agent: {
      const of = { [GEN_AI.agentName]: attributes[GEN_AI.agentName], [INNER.agentRole]: attributes[INNER.agentRole] };
      return [{ metric: METRICS.agentDuration, value: seconds, attributes: { ...of, ...outcome } }];
    }
    case LEVELS.handoff:
      return [];
    default:
      return [
        {
          metric: METRICS.promptDuration,
          value: seconds,
          attributes: { [TRIAD.span]: attributes[TRIAD.span], ...outcome },
        },
      ];
  }
}

function ofRequest({ attributes }: Span, seconds: number): Measurement[] {
  const of = {
    [GEN_AI.operation]: attributes[GEN_AI.operation],
    [GEN_AI.provider]: attributes[GEN_AI.provider],
    [GEN_AI.requestModel]: attributes[GEN_AI.requestModel],
  };
  const count = (name: string): number => Number(attributes[name] ?? 0);
  const [input, output] = [count(GEN_AI.inputTokens), count(GEN_AI.outputTokens)];
  const [read, written] = [count(GEN_AI.cacheRead), count(GEN_AI.cacheWrite)];
  const tokens = { input: input - read - written, cache_read: read, cache_creation: written, output };
  const cost = attributes[TRIAD.costUsd];
  const typed = (type: string): Attributes => ({ ...of, [GEN_AI.tokenType]: type });
  return [
    { metric: METRICS.tokenUsage, value: input, attributes: typed('input') },
    { metric: METRICS.tokenUsage, value: output, attributes: typed('output') },
    ...Object.entries(tokens).flatMap(([type, value]) =>
      value > 0 ? [{ metric: METRICS.tokens, value, attributes: typed(type) }] : [],
    ),
    {
      metric: METRICS.operationDuration,
      value: seconds,
      attributes: { ...of, [ERROR_TYPE]: attributes[ERROR_TYPE] },
    },
    ...(typeof cost === 'number' ? [{ metric: METRICS.cost, value: cost, attributes: of }] : []),
  ];
}
