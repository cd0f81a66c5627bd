/** What a person sets about being asked: what nobody answers, and how they are called, by sounds and notifications. */
import { z } from 'zod';
import { DEFAULT_SIGNALS } from '#contract/attention/default-signals.ts';
import { MAX_REPEATS, type Signals, TimeOfDay } from '#contract/attention/signals.ts';

export const ApprovalSettings = z
  .strictObject({
    on_timeout: z
      .enum(['reject', 'approve'])
      .default('reject')
      .describe(
        'What a question becomes that nobody answers in time. Never approved: high risk, and what cannot be undone.',
      ),
  })
  .prefault({});

export const AttentionSettings = z
  .strictObject({
    sound_blocked: z
      .boolean()
      .default(DEFAULT_SIGNALS.soundBlocked)
      .describe('A sound when something waits for your answer.'),
    sound_done: z.boolean().default(DEFAULT_SIGNALS.soundDone).describe('Another sound when a workflow has ended.'),
    volume: z.int().min(0).max(100).default(DEFAULT_SIGNALS.volume).describe('Volume of both sounds, in percent.'),
    notifications: z
      .enum(['off', 'blocked', 'all'])
      .default(DEFAULT_SIGNALS.notifications)
      .describe(
        'Notifications of the system: off, blocked for what waits for your answer, all for the end of a workflow too. A browser has to allow them first.',
      ),
    repeats: z
      .int()
      .min(0)
      .max(MAX_REPEATS)
      .default(DEFAULT_SIGNALS.repeats)
      .describe(
        'How often you are called again while you do not answer: after 1, 3 and 10 minutes, then every 10 minutes.',
      ),
    away_seconds: z
      .int()
      .min(10)
      .max(3600)
      .default(DEFAULT_SIGNALS.awaySeconds)
      .describe(
        'Seconds without keyboard and pointer after which you count as away, even with the window in front; you are called only when you are away.',
      ),
    quiet_from: TimeOfDay.nullable()
      .default(DEFAULT_SIGNALS.quietFrom)
      .describe(
        'Time of the day, such as 22:00, from which nothing is heard or shown until the quiet hours end. Not set: no quiet hours.',
      ),
    quiet_to: TimeOfDay.nullable()
      .default(DEFAULT_SIGNALS.quietTo)
      .describe('Time of the day, such as 07:00, at which quiet hours end. Not set: no quiet hours.'),
  })
  .prefault({});

/** As clients want them. */
export function signalsOf({ attention: set }: { readonly attention: z.infer<typeof AttentionSettings> }): Signals {
  return {
    soundBlocked: set.sound_blocked,
    soundDone: set.sound_done,
    volume: set.volume,
    repeats: set.repeats,
    notifications: set.notifications,
    awaySeconds: set.away_seconds,
    quietFrom: set.quiet_from,
    quietTo: set.quiet_to,
  };
}
