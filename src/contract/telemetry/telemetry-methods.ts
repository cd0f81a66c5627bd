/** The methods of telemetry: where it goes, what became of it, and what an id of it stands for. */
import { z } from 'zod';
import { Id } from '../ids.ts';
import { method, nothing } from '../method.ts';

export const TelemetryState = z.object({
  /** Without secrets; null: nothing is sent. */
  endpoint: z.string().nullable(),
  /** Who says so: the settings, or `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  source: z.enum(['settings', 'environment']).nullable(),
  /** Whether prompts, answers, arguments and results are sent. */
  content: z.boolean(),
  /** Where the headers are from; null: there are none. */
  headersOf: z.enum(['environment', 'key store']).nullable(),
  /** Spans, since the program started: taken by the collector, on their way, and lost. */
  sent: z.int(),
  waiting: z.int(),
  dropped: z.int(),
  /** Why the newest were not taken; null where they were. */
  failure: z.string().nullable(),
});
export type TelemetryState = z.infer<typeof TelemetryState>;

export const telemetryMethods = {
  'telemetry.state': method(nothing, TelemetryState),
  /** Sends the collector something empty; `fault` is null where it takes it. Rejects with `not_found` where nothing is sent. */
  'telemetry.test': method(nothing, z.object({ fault: z.string().nullable() })),
  /**
   * Keeps headers for the collector that is configured now, such as `authorization=Bearer abc`, separated by commas; an
   * empty text removes them. `bad_input` where there is none, or they are none.
   */
  'telemetry.set-headers': method(z.strictObject({ headers: z.string().max(4000) }), TelemetryState),
  /** What a trace id (32 hexadecimal digits) or a span id (16) is of; `not_found` where it is of nothing that is stored. */
  'trace.find': method(
    z.strictObject({ id: z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{16})$/, 'is neither a trace id nor a span id') }),
    z.object({ conversationId: Id, workflowId: Id, runId: Id }),
  ),
} as const;
