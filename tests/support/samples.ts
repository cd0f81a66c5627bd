/** Whether all is played, however long it takes: `npm run soak`. */
export const inSoak = process.env['SOAK'] === 'true';

/** How many samples a property is tried with; `whole`: in `npm run soak`. */
export const samples = (numRuns: number, whole = 20 * numRuns): { numRuns: number } => {
  return { numRuns: inSoak ? whole : numRuns };
};

/** Of rows that show one promise in several ways: the first ones, all in `npm run soak`. */
export const variations = <T>(rows: readonly T[], most = 1): readonly T[] => (inSoak ? rows : rows.slice(0, most));
