/** Checks whether telemetry is on, whether its collector answers, and what became of what was sent. */
import type { Client } from '#contract/rpc.ts';
import { type Finding, ok, warning } from './finding.ts';

export async function checkTelemetry(client: Client): Promise<Finding> {
  const { endpoint, source, content, sent, waiting, dropped, failure } = await client.request('telemetry.state', {});
  if (endpoint === null) return ok('telemetry', 'off: nothing is sent');
  const { fault } = await client.request('telemetry.test', {});
  const what = content ? 'with prompts, answers, arguments and results' : 'without content';
  const numbers = `${sent} spans sent, ${waiting} waiting, ${dropped} lost since the program started`;
  const from = source === 'environment' ? ' (OTEL_EXPORTER_OTLP_ENDPOINT)' : '';
  const text = `on, ${what}, to ${endpoint}${from}; ${numbers}`;
  if (fault !== null)
    return warning(
      'telemetry',
      `${text}; ${fault}`,
      'start the collector, or put telemetry.endpoint right; work goes on without it',
    );
  if (dropped > 0)
    return warning('telemetry', `${text}${failure === null ? '' : `; the last: ${failure}`}`, 'look at the collector');
  return ok('telemetry', text);
}
