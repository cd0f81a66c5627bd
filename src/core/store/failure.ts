/** What the answers to a transaction say about why it was rolled back; the engine says it in words only. */
import { errorInfo } from '../base/errors.ts';

/** Tries of a transaction that others are in the way of. */
export const CONFLICT_TRIES = 10;

/** Whether transactions that ran at the same time were in each other's way: a next try may succeed. */
export const isConflict = (error: unknown): boolean => /conflict/i.test(errorInfo(error).message);

/** What the other statements of a failed transaction report. */
const BYSTANDER = /not executed due to a (failed|cancelled) transaction/i;

/** The error that rolled a transaction back, from the answers to its statements; null if it was committed. */
export function rootOf(answers: readonly ({ success: true } | { success: false; error: Error })[]): Error | null {
  const errors = answers.flatMap((answer) => (answer.success ? [] : [answer.error]));
  return errors.find(({ message }) => !BYSTANDER.test(message)) ?? errors[0] ?? null;
}
