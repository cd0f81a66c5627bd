/** The steps that a run of a fork takes from where that was forked, each with where it was paid and what belongs to it. */
import type { Entry, ToolEntry } from '#contract/message.ts';
import { paidBy, type RunSteps } from '../log/step-cache.ts';
import type { RunContext, TakenSteps } from '../loop/run-context.ts';
import type { Engine } from './engine.ts';
import type { Parts } from './run-parts.ts';

export function takenSteps({ engine, plan, history, children }: Parts): TakenSteps | null {
  const { steps, recorder } = plan;
  if (!steps) return null;
  const paid = <T extends Entry>(entry: T): T => ({ ...entry, cached: paidBy(entry, steps) });
  return {
    answer: (key) => {
      const found = steps.answer(key);
      return found && paid(found);
    },
    result: async (toolCallId) => {
      const found = steps.result(history.entries, toolCallId);
      // What went on in the background then reports at once here.
      if (!found || found.metadata['background'] !== undefined) return null;
      await copyKept(engine, steps, recorder.ids, { ...found, toolCallId });
      return paid({ ...found, toolCallId });
    },
    between: () => {
      const [next] = steps.between(history.entries);
      const here = next && placedHere(next, plan.prior);
      return here ? paid(here) : null;
    },
    startsNothing: (toolCallId) => children?.startsNothing(toolCallId) ?? false,
  };
}

/** A summary stands for the same earlier runs, which have other ids here; null where those are others. */
function placedHere(entry: Entry, prior: RunContext['prior']): Entry | null {
  if (entry.kind !== 'compaction') return entry;
  if (entry.prior.length !== prior.length) return null;
  return { ...entry, priorRuns: prior.map(({ runId }) => runId) };
}

/** What is kept beside the result of a call: its long output, and the picture that it has shown. */
async function copyKept(
  { outputs }: Pick<Engine, 'outputs'>,
  steps: RunSteps,
  to: { conversationId: string; runId: string },
  { toolCallId, image }: ToolEntry,
): Promise<void> {
  const { conversationId, id: runId } = steps.row;
  await outputs.copy({ conversationId, runId, toolCallId }, { ...to, toolCallId });
  if (image) await outputs.copyImage(conversationId, to.conversationId, image.sha256);
}
