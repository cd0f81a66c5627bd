/** Rows of a workflow in memory, which the pages of its session are written from. */
import { expect, test } from 'vitest';
import { OwnRows } from '#core/host/records/sessions/own-rows.ts';
import { Recording } from '../../../../support/recording.ts';

test('lists calls by the ids of their runs, as the store does, not in the order of the runs', () => {
  const recording = new Recording();
  const { lead } = recording.startWorkflow('Do it');
  const [first, second] = [lead.child('reader'), lead.child('writer')];
  for (const run of [second, first, lead]) {
    run.queue('spawn', 'Look.');
    run.toolStart('toolu_1', 'read_file');
    run.toolEnd('toolu_1', 'read_file');
  }
  const rows = new OwnRows();
  for (const event of recording.durable) rows.add(event);
  expect(rows.calls.map(({ runId }) => runId)).toEqual([lead, first, second].map(({ runId }) => runId));
});
