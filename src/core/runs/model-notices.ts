/** Notices about a model, once for each workflow: its price is unknown, or its endpoint does not list it. */
import { DEFAULT_RUN_LIMITS, DEFAULT_WORKFLOW_LIMITS } from '#contract/limits.ts';
import { sentenceOf } from '#contract/approvals/phrases.ts';
import { NO_USAGE } from '../model/model.ts';
import type { Engine } from './engine.ts';
import type { RunPlan } from './run-plan.ts';
import type { Workflow } from './workflow/workflow.ts';

interface ModelNoticeDependencies {
  engine: Pick<Engine, 'price' | 'pricesFile' | 'modelWarning'>;
  workflow: Workflow;
  plan: Pick<RunPlan, 'recorder' | 'envelope'>;
}

/** The smallest usage of a request. A model without a price for it has no known cost. */
const ANY_REQUEST = { ...NO_USAGE, inputTokens: 1, outputTokens: 1 };

/**
 * Records that the cost is unknown, and what the person can do. Repeats the notice if a limit on cost applies now.
 * `usage`: usage of the last request; left out before the first.
 */
export function recordUnpricedNotice({ engine, workflow, plan }: ModelNoticeDependencies, usage = ANY_REQUEST): void {
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

/** Returns true if the person set this limit on cost. The default limit causes no warning. */
function isOwnChoice(costUsd: number | undefined, defaultUsd: number): boolean {
  return costUsd !== undefined && costUsd !== defaultUsd;
}

/** Records the notice once for each model of a workflow. Call it after the request for the list of the endpoint. */
export function recordUnlistedNotice({ engine, workflow, plan }: ModelNoticeDependencies): void {
  const { provider, model } = plan.envelope;
  const warning = engine.modelWarning(provider, model);
  if (warning === null || !workflow.budget.noteUnlisted(provider, model)) return;
  const text = `The model ${sentenceOf(warning)}. The endpoint may refuse the request`;
  void plan.recorder.record({ type: 'notice', level: 'warning', text });
}
