/** How many samples a property is tried with: in `npm run soak` twenty times as many. */
export const samples = (numRuns: number): { numRuns: number } => {
  return { numRuns: import.meta.env.MODE === 'soak' ? 20 * numRuns : numRuns };
};
