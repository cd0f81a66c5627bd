/** What a person sets about the contexts of agents: when room is made in them. */
import { z } from 'zod';

export const ContextSettings = z
  .strictObject({
    auto_compact: z
      .boolean()
      .default(true)
      .describe('Summarise what an agent was told before, when its context is nearly full.'),
    compact_at: z
      .number()
      .min(0.2)
      .max(0.95)
      .default(0.8)
      .describe("Share of the model's context window from which that is done."),
  })
  .prefault({});

/** The share from which it is done; null where it is switched off. */
export function compactAtOf({ context }: { readonly context: z.infer<typeof ContextSettings> }): number | null {
  return context.auto_compact ? context.compact_at : null;
}
