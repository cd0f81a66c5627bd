/** A finished span before it is put into the form of any library. */
import { redact } from '#core/base/redact.ts';
import { GEN_AI } from './names.ts';

type Value = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, Value | undefined>>;

interface SpanEvent {
  name: string;
  /** Milliseconds since 1970, here and below. */
  at: number;
  attributes: Attributes;
}

export interface Span {
  /** 32 and 16 hexadecimal digits; `parentId` is null at the top of a trace. */
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  kind: 'internal' | 'client';
  start: number;
  end: number;
  attributes: Attributes;
  events: readonly SpanEvent[];
  /** The span that it goes on from: the same work before it was cut. */
  link: string | null;
  /** Null: all is well. */
  error: string | null;
}

/** Longest text of one attribute that holds content. */
const MAX_CONTENT = 8192;

/** Text that leaves the machine only where the person wants it; cut, so that what waits to be sent stays small. */
export function contentOf(wanted: boolean, text: string): string | undefined {
  if (!wanted) return undefined;
  const clean = cleaned(text);
  return clean.length > MAX_CONTENT ? `${clean.slice(0, MAX_CONTENT).toWellFormed()}…` : clean;
}

/** The same of a value as JSON. */
export function jsonOf(wanted: boolean, value: unknown): string | undefined {
  if (!wanted) return undefined;
  return contentOf(
    true,
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? cleaned(one) : one)),
  );
}

/** Without secrets before it is cut or written as JSON: part of one, and one with signs in other letters, is not known any more. */
function cleaned(text: string): string {
  return redact(text.slice(0, 2 * MAX_CONTENT));
}

/** One message of text, as the conventions write messages. */
export function messageOf(wanted: boolean, role: 'user' | 'assistant', text: string): string | undefined {
  const content = contentOf(wanted, text);
  return content === undefined ? undefined : JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

/** The whole input, as the conventions count it, and its parts. */
export function tokensOf(used: {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}): Attributes {
  return {
    [GEN_AI.inputTokens]: used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens,
    [GEN_AI.outputTokens]: used.outputTokens,
    [GEN_AI.cacheRead]: used.cacheReadTokens,
    [GEN_AI.cacheWrite]: used.cacheWriteTokens,
  };
}
