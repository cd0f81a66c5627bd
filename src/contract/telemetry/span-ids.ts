/**
 * The ids of exported spans, which follow from those of the history: whoever exports a part of it again sends the same ones.
 * A trace is a workflow: its id is that of the lead's run without the hyphens. A span's id is 16 hexadecimal digits: the
 * minute in which its workflow was asked for (6), by which it is found again, and a hash of what it is of (10).
 */

const MINUTE_MS = 60_000;
const MINUTES = 2 ** 24;

/** What a span is of. `attempt` counts from 1, of the workflow or of the run. */
export type SpanOf =
  | readonly ['prompt', attempt: number]
  | readonly ['agent', runId: string, attempt: number]
  | readonly ['request', requestId: string]
  | readonly ['tool', runId: string, toolCallId: string, attempt: number]
  | readonly ['handoff', runId: string, answer: number, attempt: number];

export function spanIdOf(workflowId: string, of: SpanOf): string {
  return minuteOf(workflowId).toString(16).padStart(6, '0') + hash40([workflowId, ...of].join('\0'));
}

/** Whether a span of this id can be of the workflow. */
export function mayHold(workflowId: string, spanId: string): boolean {
  return minuteOf(workflowId) === minuteIn(spanId);
}

/** When the workflow of a span was asked for: the last such minute before `now`, in milliseconds since 1970. */
export function minuteStart(spanId: string, now: number): number {
  const current = Math.floor(now / MINUTE_MS);
  const back = (((current - minuteIn(spanId)) % MINUTES) + MINUTES) % MINUTES;
  return (current - back) * MINUTE_MS;
}

const minuteIn = (spanId: string): number => Number.parseInt(spanId.slice(0, 6), 16);

function minuteOf(workflowId: string): number {
  const ms = Number.parseInt(workflowId.replaceAll('-', '').slice(0, 12), 16);
  return Math.floor(ms / MINUTE_MS) % MINUTES;
}

/** 40 bits of a hash (cyrb53) as 10 digits; never all zero, which is no id. */
function hash40(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return digits(b >>> 0, 8) + digits((a & 0xff) | 1, 2);
}

const digits = (value: number, count: number): string => value.toString(16).padStart(count, '0');
