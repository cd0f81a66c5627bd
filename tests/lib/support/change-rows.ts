/** Builders of change sets as `change.list` returns them. */
import type { ChangeRow, ChangeState, FileState } from '#contract/change.ts';
import { conversationId, idOf } from '../../support/recording.ts';

export function fileState(hash: string): FileState {
  return { kind: 'file', hash, bytes: 1, mode: 0o644 };
}

/** Runs are named like their agents. */
export function changeRow(
  agent: string,
  toolCallId: string,
  files: readonly [path: string, before: FileState | null, after: FileState | null][],
  state: ChangeState = 'done',
): ChangeRow {
  return {
    conversationId,
    workflowId: idOf(2),
    runId: agent,
    toolCallId,
    agent,
    tool: 'write_file',
    folder: '/project',
    at: '2026-01-02T03:04:05.000Z',
    files: files.map(([path, before, after]) => ({ path, before, after, state, kept: false })),
    notKept: [],
  };
}
