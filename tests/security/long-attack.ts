/** Attacks with more tries in the full run. */
import { test } from 'vitest';
import { inFullRun } from '../support/samples.ts';
import { findAttack } from './attacks.ts';

/** Declares the test of an attack. The test gets the number of tries of the run. */
export function longAttack(name: string, run: (tries: number) => Promise<void>): void {
  const { short, full } = findAttack(name);
  test(`withstands ${name}`, () => run(inFullRun ? full : short));
}
