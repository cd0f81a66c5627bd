/** Waits for what must come to be true. */
import { vi } from 'vitest';

/** Long, for a busy machine: what never comes fails the test, only later. */
const PATIENCE_MS = 30_000;

/** Tries again while it throws. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 });
}
