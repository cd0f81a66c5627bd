/** The warnings about figures that are worse than the reference. */
import { expect, test } from 'vitest';
import { figure } from './figure.ts';
import { compareWithReference, createReference } from './reference.ts';

const cpu = (ours: number, floor?: number) =>
  figure({ id: 'cpu', title: 'processor time', unit: 'ms', bar: { atMost: 30 }, ours, ...(floor && { floor }) });
const rate = (ours: number) => figure({ id: 'rate', title: 'rate', unit: '1/s', bar: { atLeast: 40 }, ours });

test('reports a figure that is more than 10 % worse, whether higher or lower is worse', () => {
  const reference = { cpu: 30, rate: 40 };
  expect(compareWithReference([cpu(33), rate(36)], reference)).toEqual([]);
  expect(compareWithReference([cpu(20), rate(60)], reference)).toEqual([]);
  expect(compareWithReference([cpu(34), rate(35)], reference)).toEqual([
    'processor time: 34.00 ms, 13 % worse than the reference (30.00)',
    'rate: 35.00 1/s, 13 % worse than the reference (40.00)',
  ]);
});

test('compares the ratio to the floor if there is a floor, and skips figures without a reference', () => {
  const reference = createReference([cpu(60, 10)], { rate: 40 });
  expect(reference).toEqual({ cpu: 6, rate: 40 });
  expect(compareWithReference([cpu(90, 15)], reference)).toEqual([]);
  expect(compareWithReference([cpu(70, 10)], reference)).toEqual([
    'processor time: 7.00 × the floor, 17 % worse than the reference (6.00)',
  ]);
  expect(compareWithReference([cpu(70, 10)], {})).toEqual([]);
});
