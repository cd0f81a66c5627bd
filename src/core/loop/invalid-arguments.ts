/** What a model is told of a call whose arguments are no JSON or do not fit: what is wrong, and what the tool takes. */
import { z } from 'zod';
import type { ToolUsePart } from '#contract/message.ts';
import { cutAtBytes } from '../base/text.ts';
import type { Tool } from '../tools/tool.ts';

/** A longer schema is cut; in bytes of UTF-8. */
export const MAX_SCHEMA_BYTES = 4096;

/**
 * The parsed arguments, or the words of the refusal. `schemaOf`: the JSON schema that the model was told, asked for only
 * where it is needed; undefined where it was told none.
 */
export async function parsedArguments(
  tool: Tool,
  call: ToolUsePart,
  schemaOf: () => Promise<Record<string, unknown> | undefined>,
): Promise<{ input: unknown } | { refusal: string }> {
  const parsed = call.malformed === undefined ? tool.input.safeParse(call.input) : null;
  if (parsed?.success) return { input: parsed.data };
  const problem = parsed
    ? `Invalid arguments for ${call.name}, nothing was run:\n${z.prettifyError(parsed.error)}`
    : `The arguments of ${call.name} are not complete JSON (perhaps cut off at the limit of output tokens): ${faultOf(call.malformed ?? '')}. Nothing was run. Send the call again; where it was cut off, with shorter arguments`;
  return { refusal: problem + schemaWords(await schemaOf()) };
}

/** The parser's own words, such as "Unterminated string in JSON at position 14". */
function faultOf(json: string): string {
  try {
    JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
  }
  return 'they end too early';
}

function schemaWords(schema: Record<string, unknown> | undefined): string {
  if (schema === undefined) return '';
  const json = JSON.stringify(schema);
  const shown = cutAtBytes(json, MAX_SCHEMA_BYTES);
  const left = Buffer.byteLength(json) - Buffer.byteLength(shown);
  return `\n\nThe JSON schema of its arguments:\n${shown}${left > 0 ? `\n[${left} bytes more: you were given the whole with your tools.]` : ''}`;
}
