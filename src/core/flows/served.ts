/** What a control flow works with. */
import type { Engine } from '../runs/engine.ts';
import type { RunPlan } from '../runs/run-plan.ts';
import type { WorkflowScope } from '../runs/workflow-scope.ts';

/** The run whose control flow this is, and what it shares with its workflow. */
export interface Served {
  engine: Engine;
  workflow: WorkflowScope;
  plan: RunPlan;
}
