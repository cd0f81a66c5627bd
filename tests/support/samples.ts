/** Selects the tests and samples of a run: a part of them in `npm test`, all of them in the full run of `.ci/run`. */
import { test } from 'vitest';

export const inFullRun = process.env['FULL_RUN'] === 'true';

/** Seed of the matrices that even the full run samples. `.ci/run` prints it and changes it each day. */
export const TEST_SEED = process.env['TEST_SEED'] ?? '1';

/**
 * Declares a test that only the full run includes: `fullTest('tests/a.test.ts › title')('longer test', …)`.
 * @param _coveredBy the test or tests of `npm test` that fail when the same line breaks, as `path › title`;
 * `tests/full-tests.test.ts` checks that they exist
 * @param condition false on a machine that lacks what the test needs
 */
export const fullTest = (_coveredBy: string | readonly string[], condition = true) =>
  test.runIf(inFullRun && condition);

/** Number of inputs of a property test: `numRuns` in `npm test`, `whole` in the full run. */
export const samples = (numRuns: number, whole = 4 * numRuns): { numRuns: number } => {
  return { numRuns: inFullRun ? whole : numRuns };
};

/** Rows of a table that show one promise in several ways: the first `most` in `npm test`, all in the full run. */
export const variations = <T>(rows: readonly T[], most = 1): readonly T[] => (inFullRun ? rows : rows.slice(0, most));
