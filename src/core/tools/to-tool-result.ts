/** Makes the result of a call: what the tool returns, or an error or a cancel that the model can read, without keys. */
import { TriadError } from '../base/errors.ts';
import { redactKeys, redactKeysIn } from '../base/redact.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

/** Runs a tool's work: a TriadError becomes an `error` result, an abort a `cancelled` one. Rethrows `internal` and errors of other types. */
export async function toToolResult(
  context: Pick<ToolContext, 'signal'>,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (context.signal.aborted) return { status: 'cancelled', output: 'Cancelled before it was done.' };
    if (error instanceof TriadError && error.code === 'not_allowed') return refused(error.message);
    if (error instanceof TriadError && error.code !== 'internal') return { status: 'error', output: error.message };
    throw error;
  }
}

/** The result of a call that may not or cannot be made: the records show it as one that was tried and refused. */
export function refused(output: string): ToolResult {
  return { status: 'error', output, metadata: { refused: true } };
}

/** Redacts keys before the result enters the history and a message. `tool`: null if no tool was called. */
export async function redactResult(
  { before, isUnredacted, ...result }: ToolResult,
  tool: Pick<Tool, 'isPersonText' | 'startsAgents'> | null,
): Promise<ToolResult> {
  if (isUnredacted || tool?.isPersonText) return result;
  const { text, names } = await redactKeys(result.output, before);
  // The diff is redacted where the preview is made.
  const { diff: _, ...others } = result.metadata ?? {};
  const metadata = { ...result.metadata, ...(await redactKeysIn(others)) };
  // The output of these tools is JSON.
  const note = names.length === 0 || tool?.startsAgents ? '' : describeRedaction(names);
  return { ...result, output: `${text}${note}`, ...(result.metadata && { metadata }) };
}

function describeRedaction(names: readonly string[]): string {
  return `\n\n[Redacted here: ${names.join(', ')}. Edit other lines as usual. If you need a file with its keys, call read_file with "unredacted": true, which requires approval.]`;
}
