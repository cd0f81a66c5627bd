/** Each test that only the full run includes names a test of `npm test` that covers it. */
import { expect, test } from 'vitest';
import { findStrings, findTitleFault, FULL_CALL, STRING, TEST_FILES } from './test-titles.ts';

const SELF = 'tests/full-tests.test.ts';
const files = [...TEST_FILES].filter(([path]) => path !== SELF);

/** Returns the names in the first argument of a call. Looks constants up in the same file. */
function findNames(argument: string, code: string): string[] {
  const constants = [...argument.replaceAll(STRING, '').matchAll(/[A-Z_]+/g)].flatMap(([constant]) =>
    findStrings(new RegExp(`const ${constant} =\\s*([^;]*);`).exec(code)?.[1] ?? ''),
  );
  return [...findStrings(argument), ...constants].map(({ text }) => text);
}

test('each test of the full run names an existing test of `npm test`', () => {
  const faults = files.flatMap(([path, code]) =>
    [...code.matchAll(FULL_CALL)].flatMap(([call, , argument = '']) => {
      const names = findNames(argument, code);
      if (names.length === 0) return [`${path}: ${call} names no test`];
      return names.flatMap((name) => {
        const fault = findTitleFault(name);
        return fault === null ? [] : [`${path}: "${name}" ${fault}`];
      });
    }),
  );
  expect(faults).toEqual([]);
});

test('no test is excluded from npm test except through fullTest', () => {
  // Except the other rows of a matrix: `inFullRun || …` runs one row in `npm test`.
  const offenders = files.filter(
    ([path, code]) =>
      /(?:run|skip)If\([^)]*inFullRun(?! \|\|)|@full\b/.test(code) ||
      (path.endsWith('.full.test.ts') && /^\s*(?:test|it)\b.*\(/m.test(code)),
  );
  expect(offenders.map(([path]) => path)).toEqual([]);
});

test('no test is selected alone, postponed or expected to fail', () => {
  const offenders = files.filter(([, code]) =>
    /\b(?:test|it|describe)(?:\.\w+)*\.(?:only|todo|fixme|fails?)\b/.test(code),
  );
  expect(offenders.map(([path]) => path)).toEqual([]);
});
