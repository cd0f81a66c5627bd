// What the history shows stands in its address, and comes back from it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunKind } from '#contract/agent.ts';
import { ExecutionSort, WorkflowSort } from '#contract/list-filter.ts';
import { Outcome, Status } from '#contract/outcome.ts';
import { methods } from '#contract/rpc.ts';
import { spanOfDay, startOfDay } from '#lib/view/calendar.ts';
import {
  executionDaysInput,
  executionInput,
  KINDS,
  LISTS,
  NO_FILTERS,
  listInput,
  queryOf,
  queryOfHit,
  queryStringOf,
  activeFilters,
  SORTS,
  STATUSES,
  withList,
  workflowDaysInput,
  type HistoryQuery,
} from '#lib/view/history-query.ts';

const word = fc.option(fc.string({ minLength: 1, maxLength: 20 }));
const day = fc.option(
  fc
    .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
);
/** Of either list, with all that it can have. */
const query: fc.Arbitrary<HistoryQuery> = fc
  .record({
    text: fc.string(),
    list: fc.constantFrom(...LISTS),
    sort: fc.constantFrom(...WorkflowSort.options),
    kind: fc.option(fc.constantFrom(...KINDS)),
    outcome: fc.option(fc.constantFrom(...Outcome.options)),
    status: fc.option(fc.constantFrom(...STATUSES)),
    agent: word,
    model: word,
    tool: word,
    folder: word,
    from: day,
    to: day,
    minCostUsd: fc.option(fc.constantFrom(0.01, 1, 25)),
  })
  .map((asked) => withList(asked, asked.list));

describe('the address of the history', () => {
  it('restores every filter, the order and the search text', () => {
    fc.assert(
      fc.property(query, (asked) => {
        expect(queryOf(new URLSearchParams(queryStringOf(asked)))).toEqual(asked);
      }),
    );
  });

  it('is empty without filters', () => {
    expect(queryStringOf(NO_FILTERS)).toBe('');
    expect(activeFilters({ ...NO_FILTERS, agent: 'lead', minCostUsd: 1 })).toEqual(['agent', 'minCostUsd']);
  });

  it('ignores invalid values', () => {
    const from = '?outcome=failed&status=x&sort=random&from=yesterday&to=2026-99-99&cost=-1&agent=';
    expect(queryOf(new URLSearchParams(from))).toEqual(NO_FILTERS);
  });

  it('includes only filters and orders that the list supports', () => {
    const both = { ...NO_FILTERS, text: 'x', agent: 'a', tool: 'grep', kind: 'chain', sort: 'tokens' } as const;
    expect(withList(both, 'agents')).toEqual({ ...both, list: 'agents', tool: null, sort: 'newest' });
    expect(withList(both, 'workflows')).toEqual({ ...both, kind: null });
    expect(queryOf(new URLSearchParams('?list=agents&tool=grep&outcome=error&sort=tokens&kind=lead'))).toEqual({
      ...NO_FILTERS,
      list: 'agents',
    });
    expect([SORTS.workflows, SORTS.agents]).toEqual([WorkflowSort.options, ExecutionSort.options]);
    expect(['lead', ...KINDS]).toEqual(RunKind.options);
  });

  it('builds valid input for the list of sub-agents', () => {
    const from = '2026-01-31';
    const asked = { ...NO_FILTERS, list: 'agents', sort: 'cost', kind: 'delegate', status: 'error', from } as const;
    const parsed = methods['execution.list'].input.parse(executionInput(asked));
    const day = new Date(2026, 0, 31).toISOString();
    expect(parsed).toEqual({ sort: 'cost', kind: 'delegate', status: 'error', from: day, limit: 50 });
  });

  it('builds valid input for daily totals, with the filters of the list', () => {
    const asked = { ...NO_FILTERS, agent: 'lead', outcome: 'error', from: '2026-01-31', minCostUsd: 1 } as const;
    const days = [spanOfDay('2026-02-01')];
    expect(methods['workflow.days'].input.parse(workflowDaysInput(asked, days, 'model'))).toEqual({
      agent: 'lead',
      outcome: 'error',
      from: startOfDay('2026-01-31'),
      minCostUsd: 1,
      by: 'model',
      days: [{ from: startOfDay('2026-02-01'), to: startOfDay('2026-02-02') }],
    });
    const ofAgents = { ...asked, list: 'agents', kind: 'spawn' } as const;
    expect(methods['execution.days'].input.parse(executionDaysInput(ofAgents, days))).toMatchObject({ kind: 'spawn' });
  });

  it('links a hit to its entry, with the searched words', () => {
    const params = new URLSearchParams(queryOfHit({ runId: 'run', n: 7 }, 'quokka & hangar'));
    expect(Object.fromEntries(params)).toEqual({ run: 'run', n: '7', q: 'quokka & hangar' });
  });

  it('supports every status', () => {
    expect([...STATUSES].sort()).toEqual([...Status.options].sort());
  });

  it('builds valid input for the list of workflows, with whole days in local time', () => {
    const asked = {
      ...NO_FILTERS,
      from: '2026-01-31',
      to: '2026-01-31',
      outcome: 'error',
      sort: 'cost',
    } as const;
    const input = listInput({ ...asked, agent: 'lead', minCostUsd: 0.5 });
    const parsed = methods['workflow.list'].input.parse(input);
    expect(parsed).toMatchObject({ outcome: 'error', sort: 'cost', agent: 'lead', minCostUsd: 0.5 });
    expect(parsed.from).toBe(new Date(2026, 0, 31).toISOString());
    expect(parsed.to).toBe(new Date(2026, 1, 1).toISOString());
    expect(methods['workflow.list'].input.parse(listInput(NO_FILTERS))).toEqual({
      sort: 'newest',
      limit: 50,
    });
  });
});
