/** Whether all is played, however long it takes: `npm run soak`. */
export const inSoak = import.meta.env.MODE === 'soak';

/** How many samples a property is tried with: in `npm run soak` twenty times as many. */
export const samples = (numRuns: number): { numRuns: number } => {
  return { numRuns: inSoak ? 20 * numRuns : numRuns };
};
