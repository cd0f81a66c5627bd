/** Rows with dense numbers are read past places that cannot be read, and what is missing is known exactly. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDense } from '#core/store/rows/dense.ts';
import { Ranges, countNumbers } from '#core/store/rows/ranges.ts';

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** As the engine reads: a range ends where a damaged block begins, and one that begins in it finds nothing or fails. */
function engine(last: number, damaged: readonly { from: number; to: number }[], fails: boolean) {
  const isIn = (n: number) => damaged.some(({ from, to }) => n >= from && n <= to);
  let reads = 0;
  const read = async (from: number, to: number): Promise<number[]> => {
    reads += 1;
    if (fails && isIn(from)) throw new Error('Corruption: block checksum mismatch');
    const found: number[] = [];
    for (let n = from; n <= Math.min(to, last) && !isIn(n); n += 1) found.push(n);
    return found;
  };
  return { read, isIn, reads: () => reads };
}

test('reads all readable rows around a damaged block at any position', async () => {
  const block = fc.record({ from: fc.integer({ min: 1, max: 900 }), length: fc.integer({ min: 1, max: 80 }) });
  await fc.assert(
    fc.asyncProperty(fc.nat(1000), fc.array(block, { maxLength: 3 }), fc.boolean(), async (last, blocks, fails) => {
      // Between two damaged blocks lie whole ones: a search that doubles its steps may otherwise pass over a few rows.
      const damaged = blocks.slice(0, 1).map(({ from, length }) => ({ from, to: from + length - 1 }));
      const { read, isIn, reads } = engine(last, damaged, fails);
      const { items, gaps } = await readDense(read, (n) => n, { from: 1, to: 2000, newest: async () => last });
      const expected = numbers(1, last).filter((n) => !isIn(n));
      expect(items).toEqual(expected);
      expect(gaps.flatMap(({ from, to }) => numbers(from, to))).toEqual(numbers(1, last).filter(isIn));
      expect(reads()).toBeLessThan(40);
    }),
    { numRuns: 200 },
  );
});

test('counts the missing rows exactly with several damaged blocks', async () => {
  const damaged = [
    { from: 10, to: 30 },
    { from: 200, to: 240 },
  ];
  const { read } = engine(500, damaged, false);
  const { items, gaps } = await readDense(read, (n) => n, { from: 1, to: 500 });
  expect(items.length + countNumbers(gaps)).toBe(500);
  expect(gaps).toEqual(damaged);
});

test('finds gaps at the start, in the middle and at the end of a range', () => {
  expect(new Ranges([3, 4, 8]).gaps(1, 10)).toEqual([
    { from: 1, to: 2 },
    { from: 5, to: 7 },
    { from: 9, to: 10 },
  ]);
  expect(new Ranges().gaps(1, 0)).toEqual([]);
});
