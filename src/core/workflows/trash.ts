/** Refuses work in conversations that are in the trash or whose folder is gone, and empties the trash. */
import { phrase } from '#contract/approvals/phrases.ts';
import { TRASH_DAYS } from '#contract/limits.ts';
import type { ConversationRow } from '#contract/view.ts';
import { isFolder } from '../base/disk-lookups.ts';
import { saidError, TriadError } from '../base/errors.ts';
import type { Store } from '../store/store.ts';
import type { Changes } from '../workspace/changes.ts';

export const DAY_MS = 24 * 3_600_000;

/** Throws `conflict`: nothing starts or goes on in the trash. */
export function refuseInTrash({ deletedAt }: Pick<ConversationRow, 'deletedAt'>): void {
  if (deletedAt) throw new TriadError('conflict', 'This conversation is in the trash: restore it first');
}

/** Throws `not_found` if the workspace folder is gone: an agent could do nothing there. */
export async function refuseMissingFolder({ folder }: Pick<ConversationRow, 'folder'>): Promise<void> {
  if (!(await isFolder(folder))) throw saidError('not_found', [phrase('workspace_gone', { folder })]);
}

type Purging = Pick<Store, 'purge' | 'conversation'>;
type Kept = Pick<Changes, 'condemn' | 'reprieve' | 'forget' | 'condemned'>;

/** Deletes a conversation for good, with what its calls replaced. False: it is not in the trash. */
export async function purge(store: Pick<Store, 'purge'>, changes: Kept, id: string): Promise<boolean> {
  await changes.condemn(id);
  const done = await store.purge(id);
  await (done ? changes.forget(id) : changes.reprieve(id));
  return done;
}

/** Conversations purged before the next ones are looked for. */
const PAGE = 50;

/** Deletes for good what has been in the trash for too long, now and every day, until the signal. */
export function keepTrash(store: Purging & Pick<Store, 'trashedBefore'>, changes: Kept, signal: AbortSignal): void {
  const empty = async (): Promise<void> => {
    const before = new Date(Date.now() - TRASH_DAYS * DAY_MS).toISOString();
    await finishPurges(store, changes, signal);
    for (let more = true; more && !signal.aborted;) {
      const ids = await store.trashedBefore(before, PAGE);
      const done = [];
      for (const id of ids) done.push(await purge(store, changes, id));
      more = done.includes(true);
    }
  };
  if (signal.aborted) return;
  // What could not be deleted today is deleted tomorrow.
  const tried = () => void empty().catch(() => undefined);
  const timer = setInterval(tried, DAY_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  tried();
}

/**
 * Where the program died during a purge. What the store merely does not know is not touched: it may be a new one, in
 * the place of one that is gone for a while.
 */
async function finishPurges(store: Purging, changes: Kept, signal: AbortSignal): Promise<void> {
  for (const id of await changes.condemned()) {
    if (signal.aborted) return;
    const there = (await store.conversation(id)) !== null;
    await (there ? changes.reprieve(id) : changes.forget(id));
  }
}
