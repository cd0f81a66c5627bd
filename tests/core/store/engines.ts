/** The engine below the store in a run. */
import { inFullRun } from '../../support/samples.ts';

/** In `npm test` the engine of an installation; in the full run, which adds to it, the one in memory. */
export const ENGINES: readonly ('mem' | 'rocksdb')[] = inFullRun ? ['mem'] : ['rocksdb'];
