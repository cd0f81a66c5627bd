/** A provider has a key, but one of another address. */
import { z } from 'zod';

export const KeyElsewhere = z.object({
  source: z.enum(['environment', 'store', 'file']),
  /** The variable that holds it; null where none does. */
  variable: z.string().nullable(),
  /** The address that it belongs to, and the one that it is not sent to. */
  of: z.string(),
  to: z.string(),
});
export type KeyElsewhere = z.infer<typeof KeyElsewhere>;
