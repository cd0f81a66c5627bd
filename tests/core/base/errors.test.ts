/** Conversion of thrown values to errors that are stored and shown. */
import { expect, test } from 'vitest';
import { errorInfo, TriadError } from '#core/base/errors.ts';

const KEY = `sk-ant-api03-${'a1B2'.repeat(22)}-${'c3D4'.repeat(2)}AA`;

test('reports an unforeseen error as internal, with its stack and without keys', () => {
  const error = new TypeError(`x is not a function: ${KEY}`);
  const info = errorInfo(error);
  expect(info).toMatchObject({ code: 'internal', message: expect.stringMatching(/^x is not a function: /) as string });
  expect(info.detail).toContain('errors.test.ts');
  expect(JSON.stringify(info)).not.toContain(KEY);
});

test('reports the code and the detail of an error of the program', () => {
  const error = new TriadError('rate_limited', 'Too many requests', { detail: 'retry-after 3' });
  expect(errorInfo(error)).toEqual({ code: 'rate_limited', message: 'Too many requests', detail: 'retry-after 3' });
  expect(errorInfo('gone')).toEqual({ code: 'internal', message: 'gone' });
});
