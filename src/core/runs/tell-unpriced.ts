/** Tells, once for each model of a workflow, that its cost is not known, and what to do about it. */
import { DEFAULT_RUN_LIMITS, DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { NO_USAGE } from '../model/model.ts';
import type { Engine } from './engine.ts';
import type { RunPlan } from './run-plan.ts';
import type { WorkflowScope } from './workflow-scope.ts';

interface Parts {
  engine: Pick<Engine, 'price' | 'pricesFile'>;
  workflow: WorkflowScope;
  plan: Pick<RunPlan, 'recorder' | 'envelope'>;
}

/** What every request has: a model whose price for it is unknown has no known cost. */
const ANY_REQUEST = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };

/** `usage`: of a request that has ended; left out before the first. Told again where a limit on cost comes in. */
export function tellUnpriced({ engine, workflow, plan }: Parts, usage = ANY_REQUEST): void {
  const { model, limits } = plan.envelope;
  const { nanoUsd, priceVersion } = engine.price(model, usage);
  const isBounded =
    isOwnChoice(limits.budget?.costUsd, DEFAULT_RUN_LIMITS.costUsd) ||
    isOwnChoice(workflow.budget.limits.costUsd, DEFAULT_WORKFLOW_LIMITS.costUsd);
  if (nanoUsd !== null || !workflow.budget.noteUnpriced(model, isBounded)) return;
  const what = priceVersion === null ? `The price of ${model} is` : `Some prices of ${model} are`;
  const unchecked = isBounded ? ', and the limit on cost cannot be checked' : '';
  const list = `${engine.pricesFile} ("triad config prices" shows what is listed)`;
  const remedy = priceVersion === null ? `list it in ${list}` : `complete it in ${list}`;
  void plan.recorder.record({
    type: 'notice',
    level: isBounded ? 'warning' : 'info',
    text: `${what} not known: tokens are counted, costs are not${unchecked}. To change that, ${remedy}`,
  });
}

/** Returns whether the person set this limit on cost. The default causes no warning about models without a price. */
function isOwnChoice(costUsd: number | undefined, defaultUsd: number): boolean {
  return costUsd !== undefined && costUsd !== defaultUsd;
}
