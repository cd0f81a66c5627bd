/** Whether all is played, however long it takes: `npm run soak`. */
export const inSoak = process.env['SOAK'] === 'true';

/** How many samples a property is tried with: in `npm run soak` twenty times as many. */
export const samples = (numRuns: number): { numRuns: number } => {
  return { numRuns: inSoak ? 20 * numRuns : numRuns };
};

/** Of rows that show one promise in several ways: the first ones, all in `npm run soak`. */
export const variations = <T>(rows: readonly T[], most = 1): readonly T[] => (inSoak ? rows : rows.slice(0, most));
