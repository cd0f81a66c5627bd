/** The failure that stops all work: something that happened could not be kept. */
import { TriadError } from '../base/errors.ts';

/** `store_failed`; where the store knows what is wrong, its words say what to do. */
export function unwritten(error: unknown): TriadError {
  const stopped = 'The history could not be written, so all work was stopped';
  const isKnown = error instanceof TriadError && error.detail !== undefined;
  const way = isKnown ? `. ${error.message}` : ': check the disk, then start Triad again';
  return new TriadError('store_failed', stopped + way, { cause: error, detail: String(error) });
}
