/** Where spans and metrics are sent, and what of the work they tell. */
import { z } from 'zod';
import { EndpointUrl } from '#contract/endpoint-url.ts';

export const TelemetrySettings = z
  .strictObject({
    endpoint: EndpointUrl.nullable()
      .default(null)
      .describe(
        'Address of an OpenTelemetry collector that takes OTLP over HTTP as JSON, without /v1/traces. Not set: nothing is sent.',
      ),
    content: z
      .boolean()
      .default(false)
      .describe('Send prompts, answers, arguments and results too, with secrets redacted.'),
  })
  .prefault({});
