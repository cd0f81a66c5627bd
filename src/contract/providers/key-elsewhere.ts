/** A provider has a key, but one of another address: where it is from, and how that is said in English. */
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

/** Each without a stop: that, and what to do. */
export function keyElsewhereText({ source, variable, of, to }: KeyElsewhere): { what: string; todo: string } {
  const key = { environment: variable ?? '', file: 'The key in the settings file', store: 'The kept key' }[source];
  return {
    what: `${key} belongs to ${of} and is not sent to ${to}`,
    todo: 'enter the key of this endpoint in the settings, or set the endpoint back',
  };
}
