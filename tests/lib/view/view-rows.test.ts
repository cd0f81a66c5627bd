// The work that an event causes does not grow with the rows that the page holds.
import { describe, expect, it } from 'vitest';
import type { DurableEvent } from '#contract/event.ts';
import { fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { reduceStory } from '../support/flows.ts';
import { Rows } from '../support/rows.ts';
import { Recording } from '../../support/recording.ts';
import { workflow } from '../support/workflows.ts';

type RunStart = Extract<DurableEvent, { type: 'run-start' }>;

const ROWS = 10_000;
/** Highest number of ids that an event may read. */
const READS_PER_EVENT = 10;

const story = new Recording();
const children = [{ allowed: true, finished: true }];
workflow(story, { prompt: 'Go', answer: 'Done.', children, retry: true, early: true, resumed: true });
const { events } = story;

/** Returns a view with many rows in each list, and the number of their ids that were read so far. */
function createLargeView(): { view: View; countReads: () => number } {
  let reads = 0;
  const last = reduceStory({ events });
  const counted = <Row extends object>(row: Row | undefined, key: keyof Row): Row[] =>
    Array.from({ length: ROWS }, (_, index) =>
      Object.defineProperty({ ...row! }, key, {
        enumerable: true,
        get: () => {
          reads += 1;
          return `other ${index}`;
        },
      }),
    );
  const requests = Array.from({ length: ROWS }, (_, index) => ({
    ...last.approvals[0]!.request,
    id: `other ${index}`,
  }));
  const countedRequest = <Row extends { request: unknown }>(row: Row, index: number): Row =>
    Object.defineProperty({ ...row }, 'request', {
      enumerable: true,
      get: () => {
        reads += 1;
        return requests[index];
      },
    });
  return {
    view: {
      ...fromSnapshot(new Rows().snapshot()),
      workflows: counted(last.workflows[0], 'id'),
      runs: counted(last.runs[0], 'id'),
      calls: counted(last.calls[0], 'toolCallId'),
      approvals: requests.map((_, index) => countedRequest(last.approvals[0]!, index)),
    },
    countReads: () => reads,
  };
}

describe(`a page with ${ROWS} rows of each kind`, () => {
  it('reads each row once, for all events together', () => {
    const { view, countReads } = createLargeView();
    let next = view;
    for (const event of events) next = reduce(next, [event]);
    expect(countReads()).toBeGreaterThanOrEqual(4 * ROWS);
    expect(countReads()).toBeLessThan(4 * ROWS + READS_PER_EVENT * events.length);
    const own = ({ id }: { id: string }) => !id.startsWith('other');
    const alone = reduceStory({ events });
    expect(next.workflows.filter(own)).toEqual(alone.workflows);
    expect(next.runs.filter(own)).toEqual(alone.runs);
    expect(next.approvals.map(({ request }) => request).filter(own)).toEqual(
      alone.approvals.map(({ request }) => request),
    );
  });

  it('copies only the list that changes', () => {
    const { view, countReads } = createLargeView();
    const before = reduce(view, events);
    const reads = countReads();
    const { runId, seq, ...start } = events.find((event): event is RunStart => event.type === 'run-start')!;
    const after = reduce(before, [{ ...start, type: 'plan-change', items: [], runId, seq: seq + before.seq }]);
    expect(countReads()).toBe(reads);
    expect(after.runs.find(({ id }) => id === runId)?.plan).toEqual([]);
    expect(before.runs.find(({ id }) => id === runId)?.plan).toBeUndefined();
    for (const list of ['workflows', 'calls', 'approvals', 'entries'] as const) expect(after[list]).toBe(before[list]);
  });

  it('does not change an earlier view: the same events, applied to it again, give an equal view', () => {
    const { view } = createLargeView();
    const half = Math.floor(events.length / 2);
    const middle = reduce(view, events.slice(0, half));
    const end = reduce(middle, events.slice(half));
    expect(view.runs).toHaveLength(ROWS);
    expect(reduce(middle, events.slice(half))).toEqual(end);
    expect(reduce(view, events)).toEqual(end);
  });
});
