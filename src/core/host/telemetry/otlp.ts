/** The libraries of OpenTelemetry: loaded only where something is exported. */
import { type Counter, type Histogram, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { askedFor } from '#core/base/outgoing.ts';
import { redact } from '#core/base/redact.ts';
import { measurementsOf } from './measurements.ts';
import { METRICS } from './names.ts';
import type { Attributes, Span } from './span.ts';

export interface Target {
  /** Without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  version: string;
}

/** How one batch went: `again` where it may go better later. */
export type Sent = { ok: true } | { ok: false; again: boolean; why: string };

export interface Otlp {
  send(spans: readonly Span[]): Promise<Sent>;
  /** Adds them to the metrics, which go out by themselves. */
  measure(spans: readonly Span[]): void;
  /** Sends the metrics a last time, for so long at most. */
  close(patienceMs: number): Promise<void>;
}

/** Longest time of one request, with its repeats, in milliseconds. */
const TIMEOUT_MS = 1500;
const METRICS_MS = 10_000;
/** In seconds: from a file that is read to an agent that works for an hour. */
const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

export function createOtlp({ endpoint, headers, version }: Target): Otlp {
  const resource = resourceFromAttributes({ 'service.name': 'triad', 'service.version': version });
  const base = endpoint.replace(/\/+$/, '');
  const options = (signal: string) => ({ url: `${base}/v1/${signal}`, headers, timeoutMillis: TIMEOUT_MS });
  const traces = new OTLPTraceExporter(options('traces'));
  // Its timer goes on with what holds here.
  const meters = askedFor('telemetry', () => {
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter(options('metrics')),
      exportIntervalMillis: METRICS_MS,
      exportTimeoutMillis: TIMEOUT_MS,
    });
    return new MeterProvider({ resource, readers: [reader] });
  });
  const instruments = instrumentsOf(meters, version);
  return {
    send: (spans) =>
      new Promise((resolve) => {
        const readable = spans.map((span) => readableOf(span, resource, version));
        askedFor('telemetry', () =>
          traces.export(readable, ({ error }) =>
            resolve(error === undefined ? { ok: true } : { ok: false, again: mayPass(error), why: wordsOf(error) }),
          ),
        );
      }),
    measure: (spans) => {
      for (const { metric, value, attributes } of spans.flatMap(measurementsOf))
        instruments[metric](value, cleaned(attributes));
    },
    close: async (timeoutMillis) => {
      await meters.shutdown({ timeoutMillis }).catch(() => undefined);
    },
  };
}

type Note = (value: number, attributes: ReadableSpan['attributes']) => void;

function instrumentsOf(
  meters: MeterProvider,
  version: string,
): { [name in (typeof METRICS)[keyof typeof METRICS]]: Note } {
  const meter = meters.getMeter('triad', version);
  const counter = (name: string, unit: string): Note => {
    const made: Counter = meter.createCounter(name, { unit });
    return (value, attributes) => made.add(value, attributes);
  };
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[]): Note => {
    const made: Histogram = meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries } });
    return (value, attributes) => made.record(value, attributes);
  };
  return {
    [METRICS.tokenUsage]: histogram(METRICS.tokenUsage, '{token}', TOKENS),
    [METRICS.operationDuration]: histogram(METRICS.operationDuration, 's', SECONDS),
    [METRICS.tokens]: counter(METRICS.tokens, '{token}'),
    [METRICS.cost]: counter(METRICS.cost, 'USD'),
    [METRICS.toolCalls]: counter(METRICS.toolCalls, '{call}'),
    [METRICS.toolDuration]: histogram(METRICS.toolDuration, 's', SECONDS),
    [METRICS.agentDuration]: histogram(METRICS.agentDuration, 's', SECONDS),
    [METRICS.promptDuration]: histogram(METRICS.promptDuration, 's', SECONDS),
  };
}

/** In the form that exporters take. Every text is redacted here. */
function readableOf(span: Span, resource: Resource, version: string): ReadableSpan {
  const { traceId, spanId, parentId, name, kind, start, end, attributes, events, link, error } = span;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  const last = Math.max(start, end);
  return {
    name: redact(name),
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context(spanId),
    ...(parentId === null ? {} : { parentSpanContext: context(parentId) }),
    startTime: timeOf(start),
    endTime: timeOf(last),
    duration: timeOf(last - start),
    status: error === null ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: redact(error) },
    attributes: cleaned(attributes),
    events: events.map((one) => ({ name: one.name, time: timeOf(one.at), attributes: cleaned(one.attributes) })),
    links: link === null ? [] : [{ context: context(link) }],
    ended: true,
    resource,
    instrumentationScope: { name: 'triad', version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function cleaned(attributes: Attributes): ReadableSpan['attributes'] {
  const clean: ReadableSpan['attributes'] = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (typeof value === 'string') clean[name] = redact(value);
    else clean[name] = typeof value === 'object' ? value.map(redact) : value;
  }
  return clean;
}

/** Seconds and nanoseconds of milliseconds, to the microsecond. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  const rest = Math.round((ms - seconds * 1000) * 1000) * 1000;
  return rest >= 1e9 ? [seconds + 1, rest - 1e9] : [seconds, rest];
}

/** A collector that refuses what it was sent refuses it again. */
function mayPass(error: Error | undefined): boolean {
  const status = error !== undefined && 'code' in error && typeof error.code === 'number' ? error.code : null;
  return status === null || status >= 500 || status === 408 || status === 429;
}

function wordsOf(error: Error | undefined): string {
  const status = error !== undefined && 'code' in error && typeof error.code === 'number' ? `${error.code} ` : '';
  return redact(`${status}${error?.message || 'no answer'}`.replace(/\s+/g, ' ')).slice(0, 200);
}
