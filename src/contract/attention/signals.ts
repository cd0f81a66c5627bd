/** How a person wants to be called when something waits for them, or is done: what is heard and shown, and when not. */
import { z } from 'zod';

/** A time of the day where the program runs, such as `22:00`. */
export const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day from 00:00 to 23:59, such as 22:00')
  .meta({ examples: ['22:00'] });

export const MAX_REPEATS = 10;

export const Signals = z.object({
  soundBlocked: z.boolean(),
  soundDone: z.boolean(),
  /** Of the sounds, in percent. */
  volume: z.int().min(0).max(100),
  /** How often a call comes again while nobody answers. */
  repeats: z.int().min(0).max(MAX_REPEATS),
  /** What shows a notification of the system: nothing, what waits for an answer, or that and the end of a workflow. */
  notifications: z.enum(['off', 'blocked', 'all']),
  /** After so many seconds without keyboard and pointer a person is away, also from a window in front. */
  awaySeconds: z.int().positive(),
  /** Nothing is heard or shown from the one to the other; null for either: at no time. */
  quietFrom: TimeOfDay.nullable(),
  quietTo: TimeOfDay.nullable(),
});
export type Signals = z.infer<typeof Signals>;
