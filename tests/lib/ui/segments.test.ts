// Marking changes nothing about a text: its pieces are the text, and those that were found are marked.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf } from '#lib/ui/segments.ts';
import { matchesIn, searchWordsOf } from '#lib/ui/text-matches.ts';

const range = fc.record({ start: fc.nat(40), end: fc.nat(40) });

describe('segmentsOf', () => {
  it('marks the text in the ranges, and preserves the whole text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.array(range, { maxLength: 6 }), (text, ranges) => {
        const segments = segmentsOf(text, ranges);
        expect(segments.map((segment) => segment.text).join('')).toBe(text);
        const marked = segments.flatMap(({ text: { length }, found }) => Array<boolean>(length).fill(found));
        const inside = (at: number): boolean => ranges.some(({ start, end }) => start <= at && at < end);
        expect(marked).toEqual(Array.from({ length: text.length }, (_, at) => inside(at)));
      }),
    );
  });
});

describe('matchesIn', () => {
  it('finds every word, in any case, in order and without overlap', () => {
    expect(searchWordsOf(' The  the Report ')).toEqual(['the', 'report']);
    expect(matchesIn('The report on the Reports', ['the', 'report'])).toEqual([
      [0, 3],
      [4, 10],
      [14, 17],
      [18, 24],
    ]);
    expect(matchesIn('aaa', ['a', 'aa'])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    expect(matchesIn('nothing', ['x'])).toEqual([]);
  });
});
