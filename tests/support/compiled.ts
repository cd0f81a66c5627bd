/** What one process of a test has compiled, the next ones take: for the environment of those that tests start. */
import { join } from 'node:path';

export const COMPILED = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/triad-tests'),
} as const;
