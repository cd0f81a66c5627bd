// The entries of runs are those of a plain map, and a change does not copy the entries of all runs.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Entry } from '#contract/message.ts';
import { type RunEntries, withRuns } from '#lib/view/run-entries.ts';
import { samples } from '../../support/samples.ts';

const lists = fc.array(fc.tuple(fc.nat(400).map(String), fc.constant<readonly Entry[]>([])), { maxLength: 120 });

it('equals a plain map after any changes, in the order of the map', () => {
  fc.assert(
    fc.property(lists, fc.array(lists, { maxLength: 6 }), (first, changes) => {
      const map = new Map(first);
      let entries: RunEntries = new Map(first);
      for (const change of changes) {
        const changed = change.map(([runId]): [string, Entry[]] => [runId, []]);
        const before = [...entries];
        const next = withRuns(entries, changed);
        expect([...entries], 'an earlier version stays as it was').toEqual(before);
        entries = next;
        for (const [runId, list] of changed) map.set(runId, list);
      }
      expect([...entries]).toEqual([...map]);
      for (let run = 0; run <= 400; run += 1) {
        expect(entries.get(String(run))).toBe(map.get(String(run)));
        expect(entries.has(String(run))).toBe(map.has(String(run)));
      }
    }),
    samples(20),
  );
});

it('does not copy all runs for each change', () => {
  const runs = new Map(Array.from({ length: 10_000 }, (_, run): [string, Entry[]] => [`other ${run}`, []]));
  let copies = 0;
  const counted: RunEntries = {
    get: (runId) => runs.get(runId),
    has: (runId) => runs.has(runId),
    [Symbol.iterator]: () => {
      copies += 1;
      return runs[Symbol.iterator]();
    },
  };
  let entries = counted;
  for (let change = 0; change < 1000; change += 1) entries = withRuns(entries, [[`own ${change % 50}`, []]]);
  expect(copies).toBe(0);
  expect(entries.get('own 49')).toEqual([]);
  expect([...entries]).toHaveLength(10_050);
});
