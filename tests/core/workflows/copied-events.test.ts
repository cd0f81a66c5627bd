/** How long a workflow worked and waited is told of its copy, up to where it was cut. */
import { expect, test } from 'vitest';
import type { Approval } from '#contract/approval.ts';
import type { Entry } from '#contract/message.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { type ForkedWorkflow, makeWorkflowEvents } from '#core/workflows/copied-events.ts';

const at = (seconds: number): string => new Date(Date.parse('2026-01-02T03:04:00.000Z') + seconds * 1000).toISOString();
const approval = (from: number, to: number) =>
  ({ request: { workflowId: 'w', at: at(from) }, decisions: [{ at: at(to) }] }) as unknown as Approval;
const said = (n: number, seconds: number) => ({ kind: 'user', n, at: at(seconds), text: '' }) as unknown as Entry;

const times = { createdAt: at(0), startedAt: at(0), endedAt: at(18), durationMs: 18_000, outcome: 'completed' };
const source = {
  workflow: { id: 'w', conversationId: 'c', ...times, workedMs: 7000 } as unknown as WorkflowRow,
  run: { id: 'r', ...times } as unknown as RunRow,
  entries: [said(0, 0), said(1, 17)],
  isCut: false,
  approvals: [approval(2, 9), approval(11, 16)],
} satisfies ForkedWorkflow;

function told(of: ForkedWorkflow) {
  const drafts = makeWorkflowEvents(of, { conversationId: 'd', workflowId: 'x', runId: 's', runs: new Map() });
  const [start, end] = [drafts.find(({ type }) => type === 'workflow-start'), drafts.at(-1)];
  return [
    start?.type === 'workflow-start' ? start.copiedFrom : null,
    end?.type === 'workflow-end' ? end.durationMs : null,
    end?.at,
  ];
}

test('copied workflow events keep wait and work times, also of a copy; after a cut only the wait time before it', () => {
  const from = { conversationId: 'c', workflowId: 'w', runId: 'r' };
  expect(told(source)).toEqual([{ ...from, waitedMs: 12_000, workedMs: 7000 }, 18_000, at(18)]);
  const cut = { ...source, entries: [said(0, 0), said(1, 10)], isCut: true };
  expect(told(cut)).toEqual([{ ...from, waitedMs: 7000 }, 10_000, at(10)]);
  const copied = { ...source.workflow, copiedFrom: { ...from, waitedMs: 5000 } };
  expect(told({ ...source, workflow: copied, approvals: [] })[0]).toMatchObject({ waitedMs: 5000, workedMs: 7000 });
});
