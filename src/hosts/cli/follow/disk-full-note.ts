/** Notes for the terminal while work waits because the disk of the data folder is full. */
import type { Client } from '#contract/rpc.ts';
import type { Screen } from '../terminal/screen.ts';

/** Prints a note when work begins to wait and when it continues. Returns the function that ends this. */
export async function noteDiskFull(client: Client, screen: Pick<Screen, 'note'>): Promise<() => void> {
  let isFull = false;
  const subscribed = client.subscribe('attention', { canAnswer: false }, ({ diskFull }) => {
    if (diskFull && !isFull) screen.note(`triad: ${diskFull.message}.`);
    if (!diskFull && isFull) screen.note('triad: There is space again, and the work continues.');
    isFull = diskFull !== undefined;
  });
  // A lost connection is reported by the command itself.
  return subscribed.catch(() => () => undefined);
}
