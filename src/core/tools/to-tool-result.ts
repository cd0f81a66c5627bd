/** How a tool's own work ends: with its result, or with an error or a cancel that the model can read. */
import { TriadError } from '../base/errors.ts';
import type { ToolContext, ToolResult } from './tool.ts';

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
