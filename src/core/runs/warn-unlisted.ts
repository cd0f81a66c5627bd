/** The notice about a model that its endpoint does not list. */
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { Engine } from './engine.ts';
import type { RunPlan } from './run-plan.ts';
import type { WorkflowScope } from './workflow-scope.ts';

interface Parts {
  engine: Pick<Engine, 'modelWarning'>;
  workflow: WorkflowScope;
  plan: Pick<RunPlan, 'recorder' | 'envelope'>;
}

/** Records the notice once for each model of a workflow. Call it after the list of the endpoint was requested. */
export function warnUnlisted({ engine, workflow, plan }: Parts): void {
  const { provider, model } = plan.envelope;
  const warning = engine.modelWarning(provider, model);
  if (warning === null || !workflow.budget.noteUnlisted(provider, model)) return;
  const text = `The model ${sentenceOf(warning)}. The endpoint may refuse the request`;
  void plan.recorder.record({ type: 'notice', level: 'warning', text });
}
