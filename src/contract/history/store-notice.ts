/** The notice for the person about damage of the stored history, and about its recovery. */
import { z } from 'zod';
import { Phrase } from '../approvals/phrase.ts';
import { Instant } from '../ids.ts';
import { method, nothing } from '../method.ts';

/** `says`: the message as keys and values. */
export const StoreNotice = z.object({ at: Instant, message: z.string(), says: z.array(Phrase) });
export type StoreNotice = z.infer<typeof StoreNotice>;

export const noticeMethods = {
  /** Hides the notice of this time in all windows and later starts. A newer notice stays. */
  'store.hide-notice': method(z.strictObject({ at: Instant }), nothing),
};
