// What an undo removes is told apart from what it restores: by what the first change that is undone began with.
import { expect, it } from 'vitest';
import { madeNew } from '#lib/changes/outcomes.ts';
import { changeRow, fileState } from '../support/change-rows.ts';

it('madeNew returns the files that did not exist before the undone changes', () => {
  const rows = [
    { ...changeRow('lead', 'two', [['new.md', fileState('a'), fileState('b')]]), at: '2026-01-02T00:00:00.000Z' },
    {
      ...changeRow('lead', 'one', [
        ['new.md', null, fileState('a')],
        ['old.md', fileState('a'), fileState('b')],
      ]),
      at: '2026-01-01T00:00:00.000Z',
    },
  ];
  const runId = rows[0]!.runId;
  expect([...madeNew(rows, { runId })]).toEqual(['new.md']);
  expect([...madeNew(rows, { runId, toolCallId: 'two' })]).toEqual([]);
});
