/** Maps a run's transcript to one flat list: text, tool calls each followed by its result, and system remarks. */
import type { AssistantEntry, Entry, SystemEntry, ToolEntry, ToolStatus, UserEntry } from '#contract/message.ts';
import { serverCallOf, serverEntry, serverResults } from '#contract/web-search.ts';
import { STATUS_OF } from '#contract/status-of.ts';
import type { RunRow } from '#contract/view.ts';

export type SystemEvent =
  | { type: 'SessionStart' }
  | { type: 'Cancelled' }
  | { type: 'DoomLoopDetected' }
  | { type: 'MaxIterationsReached' }
  | { type: 'TaskComplete'; final_response: string };

export type HistoryEntry = { timestamp: string } & (
  | { kind: 'User'; source: UserEntry['source']; text: string }
  /** `interrupted`: the response was cut off; it was shown, but never sent back to the model. */
  | { kind: 'AssistantText'; text: string; interrupted: boolean }
  /** `arguments` is the model's raw text if it is not valid JSON. */
  | { kind: 'ToolCall'; id: string; name: string; arguments: unknown }
  | {
      kind: 'ToolResult';
      call_id: string;
      status: ToolStatus;
      output: string;
      metadata: Record<string, unknown>;
    }
  /** What came before `up_to` was summarised for the model from here on. */
  | { kind: 'Compaction'; summary: string; up_to: number; tokens_before: number; tokens_after: number; undone: boolean }
  | { kind: 'Handoff'; from: string; to: string; prompt: string }
  | { kind: 'System'; event: SystemEvent }
);

/**
 * In order of the transcript. Tool calls run concurrently: a result follows its call, and its own time says when it
 * came. A call without a result is still open. Calls of interrupted responses are left out, because they were never
 * made; so is thinking, which has no kind here.
 */
export function historyEntries(run: RunRow, entries: readonly Entry[]): HistoryEntry[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.toolCallId, entry] as const] : [])),
  );
  const found = serverResults(entries);
  const said = entries.flatMap((entry): HistoryEntry[] => {
    switch (entry.kind) {
      case 'user':
        return [{ timestamp: entry.at, kind: 'User', source: entry.source, text: entry.text }];
      case 'assistant':
        return response(entry, results, found);
      case 'tool':
        return [];
      case 'handoff':
        return [{ timestamp: entry.at, kind: 'Handoff', from: entry.from, to: entry.to, prompt: entry.prompt }];
      case 'compaction': {
        const { text: summary, upTo, tokensBefore, tokensAfter, undone = false } = entry;
        const sizes = { tokens_before: tokensBefore, tokens_after: tokensAfter };
        return [{ timestamp: entry.at, kind: 'Compaction', summary, up_to: upTo, ...sizes, undone }];
      }
      case 'system':
        return remark(entry);
    }
  });
  return [...begun(run), ...said, ...ended(run, entries)];
}

function response(
  entry: AssistantEntry,
  results: ReadonlyMap<string, ToolEntry>,
  found: ReturnType<typeof serverResults>,
): HistoryEntry[] {
  const { at: timestamp, interrupted } = entry;
  return entry.parts.flatMap((part): HistoryEntry[] => {
    switch (part.type) {
      case 'text':
        return [{ timestamp, kind: 'AssistantText', text: part.text, interrupted }];
      case 'tool_use': {
        if (interrupted) return [];
        const { id, name, input, malformed } = part;
        const result = results.get(id);
        const call: HistoryEntry = { timestamp, kind: 'ToolCall', id, name, arguments: malformed ?? input };
        return result ? [call, resultOf(result)] : [call];
      }
      // It was made also where the rest was cut off.
      case 'server': {
        const own = serverCallOf(part.block);
        if (own === null) return [];
        const result = found.get(own.id);
        const call: HistoryEntry = { timestamp, kind: 'ToolCall', id: own.id, name: own.name, arguments: own.input };
        return result ? [call, resultOf(serverEntry(entry, own, result))] : [call];
      }
      case 'thinking':
      case 'redacted_thinking':
        return [];
    }
  });
}

function resultOf({ at, toolCallId, status, output, metadata }: ToolEntry): HistoryEntry {
  return { timestamp: at, kind: 'ToolResult', call_id: toolCallId, status, output, metadata };
}

function remark({ at, code }: SystemEntry): HistoryEntry[] {
  switch (code) {
    case 'cancelled':
      return [system(at, { type: 'Cancelled' })];
    case 'doom_loop':
      return [system(at, { type: 'DoomLoopDetected' })];
    case 'max_iterations':
      return [system(at, { type: 'MaxIterationsReached' })];
    // The start and the completion come from the run's row, once each.
    case 'budget':
    case 'extended':
    case 'retried':
    case 'resumed':
    case 'review':
    case 'forked':
      return [];
  }
}

function begun({ startedAt }: RunRow): HistoryEntry[] {
  return startedAt === null ? [] : [system(startedAt, { type: 'SessionStart' })];
}

/** The cancellation of a run that never started is recorded in its row only. */
function ended({ outcome, endedAt, text }: RunRow, entries: readonly Entry[]): HistoryEntry[] {
  if (outcome === null || endedAt === null) return [];
  if (STATUS_OF[outcome] === 'completed') return [system(endedAt, { type: 'TaskComplete', final_response: text })];
  const told = entries.some((entry) => entry.kind === 'system' && entry.code === 'cancelled');
  return outcome === 'cancelled' && !told ? [system(endedAt, { type: 'Cancelled' })] : [];
}

function system(timestamp: string, event: SystemEvent): HistoryEntry {
  return { timestamp, kind: 'System', event };
}
