/** The methods of what agents are told: how full their contexts are, making room, and taking that back. */
import { z } from 'zod';
import { Id } from '../ids.ts';
import { method, nothing } from '../method.ts';

/**
 * How many tokens of a context are of one kind, by estimate. `system`: its prompt with the project's guidance; `summary`:
 * what stands for what was compacted; `messages`: of the person, or of who else gives it tasks; `answers`: all that the
 * model wrote, with its calls; `results`: of calls; `remarks`: what the program told it, with reports from the background.
 */
const ContextPart = z.object({
  kind: z.enum(['system', 'tools', 'summary', 'messages', 'answers', 'results', 'remarks']),
  tokens: z.int().positive(),
});
export type ContextPart = z.infer<typeof ContextPart>;

export const contextMethods = {
  /**
   * The context windows of the models of a conversation's runs, in tokens; null where one is not known. `compactAt`: the
   * share of the window from which room is made by itself; null where that is switched off. With `parts` also what
   * fills the context of its newest lead, as the last response or compaction left it: together what `contextTokens` of
   * that run says; none where nothing was asked yet.
   */
  'context.state': method(
    z.strictObject({ conversationId: Id, parts: z.boolean().default(false) }),
    z.object({
      compactAt: z.number().nullable(),
      windows: z.array(z.object({ provider: z.string(), model: z.string(), window: z.int().nullable() })),
      parts: z.array(ContextPart).optional(),
    }),
  ),
  /**
   * Summarises what the conversation's lead was told so far. Of a lead that runs it is done at once where calls of it are
   * open, else before its next model request (`waits`). Rejects with `bad_input` where there is nothing to summarise,
   * with `conflict` where it is being done or the conversation is in the trash, and as a model request does.
   */
  'context.compact': method(z.strictObject({ conversationId: Id }), z.object({ waits: z.boolean() })),
  /**
   * Takes the compaction `n` of a run back (`undone`), or has it hold again. Of a run that works it counts from its next
   * model request on. Rejects with `not_found` where there is none.
   */
  'context.restore': method(
    z.strictObject({ conversationId: Id, runId: Id, n: z.int().nonnegative(), undone: z.boolean() }),
    nothing,
  ),
};
