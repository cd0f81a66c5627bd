/** A collector that takes OTLP as JSON, reads it strictly, and may be slow, broken or silent. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { eventually } from '../eventually.ts';
import { webServer } from '../web/web-server.ts';

const Value: z.ZodType<unknown> = z.lazy(() =>
  z.union([
    z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
    z.strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) }).transform((v) => Number(v.intValue)),
    z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
    z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
    z
      .strictObject({ arrayValue: z.strictObject({ values: z.array(Value) }) })
      .transform(({ arrayValue }) => arrayValue.values),
  ]),
);
const Attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: Value }))
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, 'has a name twice')
  .transform((all): Record<string, unknown> => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const TraceId = z.string().regex(/^(?!0{32})[0-9a-f]{32}$/);
const SpanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);
/** Nanoseconds since 1970; here milliseconds. */
const Nano = z
  .string()
  .regex(/^\d{19}$/)
  .transform((text) => Number(BigInt(text) / 1000n) / 1000);
const none = z.int().min(0).max(0);
const flags = z.int().optional();

const Span = z.strictObject({
  traceId: TraceId,
  spanId: SpanId,
  parentSpanId: SpanId.optional(),
  traceState: z.string().optional(),
  name: z.string().min(1),
  kind: z.union([z.literal(1), z.literal(3)]),
  startTimeUnixNano: Nano,
  endTimeUnixNano: Nano,
  attributes: Attributes,
  droppedAttributesCount: none,
  events: z.array(
    z.strictObject({ name: z.string(), timeUnixNano: Nano, attributes: Attributes, droppedAttributesCount: none }),
  ),
  droppedEventsCount: none,
  links: z.array(
    z.strictObject({ traceId: TraceId, spanId: SpanId, attributes: Attributes, droppedAttributesCount: none, flags }),
  ),
  droppedLinksCount: none,
  status: z.strictObject({ code: z.union([z.literal(1), z.literal(2)]), message: z.string().optional() }),
  flags,
});
export type Received = z.output<typeof Span>;

const Resource = z.strictObject({ attributes: Attributes, droppedAttributesCount: none });
const Scope = z.strictObject({ name: z.literal('triad'), version: z.string() });
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(z.strictObject({ scope: Scope, spans: z.array(Span), schemaUrl: z.string().nullish() })),
      schemaUrl: z.string().nullish(),
    }),
  ),
});

const times = { startTimeUnixNano: Nano, timeUnixNano: Nano, attributes: Attributes };
const Sum = z.strictObject({
  aggregationTemporality: z.literal(2),
  isMonotonic: z.literal(true),
  dataPoints: z.array(z.strictObject({ ...times, asDouble: z.number().optional(), asInt: z.number().optional() })),
});
const Histogram = z.strictObject({
  aggregationTemporality: z.literal(2),
  dataPoints: z.array(
    z.strictObject({
      ...times,
      count: z.int(),
      sum: z.number(),
      min: z.number().optional(),
      max: z.number().optional(),
      bucketCounts: z.array(z.int()),
      explicitBounds: z.array(z.number()),
    }),
  ),
});
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(
        z.strictObject({
          scope: Scope,
          metrics: z.array(
            z.strictObject({
              name: z.string(),
              description: z.string(),
              unit: z.string(),
              sum: Sum.optional(),
              histogram: Histogram.optional(),
            }),
          ),
          schemaUrl: z.string().nullish(),
        }),
      ),
      schemaUrl: z.string().nullish(),
    }),
  ),
});
type Metric = z.output<typeof Metrics>['resourceMetrics'][number]['scopeMetrics'][number]['metrics'][number];

export interface Collector {
  url: string;
  readonly spans: Received[];
  /** As the newest request had them. */
  readonly metrics: Metric[];
  /** Every request of spans, also those that were not taken. */
  readonly requests: { headers: IncomingMessage['headers']; text: string }[];
  /** Answers with this from now on: a status, or `silence`. */
  answer: number | 'silence';
  /** Resolves with the spans as soon as there are so many. */
  have(count: number): Promise<Received[]>;
}

export async function startCollector(answer: Collector['answer'] = 200): Promise<Collector> {
  const faults: unknown[] = [];
  const { url } = await webServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      if (request.url === '/v1/traces') collector.requests.push({ headers: request.headers, text });
      if (collector.answer === 'silence') return;
      try {
        if (collector.answer === 200) take(request.url, JSON.parse(text));
      } catch (error) {
        faults.push(error);
      }
      response.writeHead(collector.answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const take = (path: string | undefined, body: unknown): void => {
    if (path === '/v1/metrics')
      collector.metrics.splice(
        0,
        Infinity,
        ...Metrics.parse(body).resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap((one) => one.metrics),
        ),
      );
    else
      for (const { resource, scopeSpans } of Traces.parse(body).resourceSpans) {
        if (resource.attributes['service.name'] !== 'triad') throw new Error('These are not of this program');
        collector.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
  };
  const collector: Collector = {
    url: url.replace(/\/$/, ''),
    spans: [],
    metrics: [],
    requests: [],
    answer,
    have: async (count) => {
      await eventually(() => {
        if (faults.length > 0) throw faults[0];
        if (collector.spans.length < count) throw new Error(`${collector.spans.length} of ${count} spans came`);
      });
      return collector.spans;
    },
  };
  return collector;
}
