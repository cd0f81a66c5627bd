/** What may be done with a conversation in the trash, and how long it stays there. */
import { TRASH_DAYS } from '#contract/limits.ts';
import type { ConversationRow } from '#contract/view.ts';
import { TriadError } from '../base/errors.ts';
import type { Store } from '../store/store.ts';
import type { Changes } from '../tools/changes.ts';

export const DAY_MS = 24 * 3_600_000;

/** Throws `conflict`: nothing starts or goes on in the trash. */
export function refuseInTrash({ deletedAt }: Pick<ConversationRow, 'deletedAt'>): void {
  if (deletedAt) throw new TriadError('conflict', 'This conversation is in the trash: restore it first');
}

/** Deletes for good what has been in the trash for too long, now and every day, until the signal. */
export function keepTrash(
  store: Pick<Store, 'purgeTrashedBefore' | 'conversation'>,
  changes: Pick<Changes, 'conversations' | 'forget'>,
  signal: AbortSignal,
): void {
  const empty = (): void => {
    const before = new Date(Date.now() - TRASH_DAYS * DAY_MS).toISOString();
    // What could not be deleted today is deleted tomorrow.
    store
      .purgeTrashedBefore(before)
      .then(() => forgetPurged(store, changes, signal))
      .catch(() => undefined);
  };
  if (signal.aborted) return;
  const timer = setInterval(empty, DAY_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  empty();
}

/** What calls replaced goes with its conversation, also where the program died between the two. */
async function forgetPurged(
  store: Pick<Store, 'conversation'>,
  changes: Pick<Changes, 'conversations' | 'forget'>,
  signal: AbortSignal,
): Promise<void> {
  for (const id of await changes.conversations())
    if (!signal.aborted && (await store.conversation(id)) === null) await changes.forget(id);
}
