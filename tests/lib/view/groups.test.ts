// Rows by what they belong to.
import { expect, it } from 'vitest';
import { runsOfWorkflow, subAgentsUnder } from '#lib/view/groups.ts';
import type { RunRow } from '#contract/view.ts';

const run = (id: string, workflowId: string, parentRunId: string | null) =>
  ({ id, workflowId, parentRunId, kind: parentRunId === null ? 'lead' : 'spawn' }) as RunRow;
const rows = [run('a', 'one', null), run('b', 'two', null), run('c', 'one', 'a')];

it('returns the rows of a workflow in order, and an empty list for an unknown workflow', () => {
  expect(runsOfWorkflow(rows, 'one').map(({ id }) => id)).toEqual(['a', 'c']);
  const coagent = { ...run('d', 'one', 'a'), kind: 'coagent' } as const;
  expect(subAgentsUnder([...rows, coagent], 'a').map(({ id }) => id)).toEqual(['c']);
  expect(runsOfWorkflow(rows, 'three')).toEqual([]);
  // What is derived from it is not made anew with each word that streams in.
  expect(runsOfWorkflow([...rows], 'three')).toBe(runsOfWorkflow(rows, 'three'));
});

it('returns the cached array until a row of the workflow changes', () => {
  const [one, two] = [runsOfWorkflow(rows, 'one'), runsOfWorkflow(rows, 'two')];
  const later = [run('0', 'zero', null), ...rows.map((row) => (row.id === 'b' ? { ...row } : row))];
  expect(runsOfWorkflow(later, 'one')).toBe(one);
  expect(runsOfWorkflow(later, 'two')).not.toBe(two);
  expect(runsOfWorkflow([...later, run('d', 'one', 'a')], 'one').map(({ id }) => id)).toEqual(['a', 'c', 'd']);
});

it('scans rows once for any number of queries, and new rows again', () => {
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
