// Rows by what they belong to.
import { expect, it } from 'vitest';
import { runsOfWorkflow, runsUnder } from '#lib/view/groups.ts';
import type { RunRow } from '#contract/view.ts';

const run = (id: string, workflowId: string, parentRunId: string | null) => ({ id, workflowId, parentRunId }) as RunRow;
const rows = [run('a', 'one', null), run('b', 'two', null), run('c', 'one', 'a')];

it('gives a workflow its own rows in their order, and none to one without', () => {
  expect(runsOfWorkflow(rows, 'one').map(({ id }) => id)).toEqual(['a', 'c']);
  expect(runsUnder(rows, 'a').map(({ id }) => id)).toEqual(['c']);
  expect(runsOfWorkflow(rows, 'three')).toEqual([]);
  // What is derived from it is not made anew with each word that streams in.
  expect(runsOfWorkflow([...rows], 'three')).toBe(runsOfWorkflow(rows, 'three'));
});

it('looks through rows once, however many messages ask, and through others anew', () => {
  let looks = 0;
  const counted = rows.map((row) => ({
    ...row,
    get workflowId() {
      looks += 1;
      return row.workflowId;
    },
  }));
  for (let asked = 0; asked < 100; asked += 1) runsOfWorkflow(counted, 'one');
  expect(looks).toBe(rows.length);
  expect(runsOfWorkflow([...counted, run('d', 'one', 'a')], 'one')).toHaveLength(3);
});
