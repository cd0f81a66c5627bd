/** The reason why a call failed or was refused, on one line. Pure. */
import type { ToolEntry } from '../message.ts';
import { firstLine, shortened } from '../messages/short-text.ts';

/** Longest reason, in characters. */
const MAX_CHARS = 200;

/**
 * Returns null for a call that completed. The output of a command is not its reason, and of a sub-agent tool the reason
 * is the field `error` of its JSON. Of all other results it is the first line.
 */
export function getFailureReason({
  status,
  output,
  metadata,
}: Pick<ToolEntry, 'status' | 'output' | 'metadata'>): string | null {
  if (status === 'completed') return null;
  const reason = exitReason(metadata) ?? errorInJson(output) ?? firstLine(output);
  return reason === '' ? null : shortened(reason, MAX_CHARS);
}

function exitReason({ exitCode, timedOut }: ToolEntry['metadata']): string | null {
  if (timedOut === true) return 'timed out';
  if (exitCode === null) return 'ended by a signal';
  return typeof exitCode === 'number' ? `exit code ${exitCode}` : null;
}

function errorInJson(output: string): string | null {
  if (!output.startsWith('{')) return null;
  try {
    const { error } = JSON.parse(output) as { error?: unknown };
    return typeof error === 'string' ? firstLine(error) : null;
  } catch {
    return null;
  }
}
