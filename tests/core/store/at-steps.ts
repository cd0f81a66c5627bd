/** Steps of a process at which a test kills it. */
import { TEST_SEED } from '../../support/samples.ts';

/** Each run takes one of so many steps. `TEST_SEED` chooses which. */
const PARTS = 8;

/** Calls `kill` for a part of the steps from 0, two at a time. */
export async function atSteps(count: number, kill: (step: number) => Promise<void>): Promise<void> {
  const first = Number(TEST_SEED) % PARTS;
  const waiting = Array.from({ length: Math.ceil((count - first) / PARTS) }, (_, at) => first + at * PARTS);
  const lane = async () => {
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) await kill(step);
  };
  await Promise.all([lane(), lane()]);
}
