/** Verdicts of rules, grants and the mode on a tool before a call, also for a run that has ended. */
import type { Engine } from './engine.ts';
import type { Action } from '#core/approvals/judge.ts';
import type { Question } from '#core/tools/question.ts';
import type { Targets } from '#core/tools/targets.ts';
import type { Tool } from '#core/tools/tool.ts';
import { callDefaults, startsOf } from './call-facts.ts';
import { scopeOf } from './memory.ts';
import type { RunPlan } from './run-plan.ts';
import type { Workflow } from './workflow/workflow.ts';

/** The run whose calls are judged. */
export interface Asker {
  engine: Pick<Engine, 'permissions'>;
  workflow: Pick<Workflow, 'approve'>;
  plan: AskerPlan;
}

export type AskerPlan = Pick<RunPlan, 'kind' | 'envelope'> & { recorder: Pick<RunPlan['recorder'], 'ids'> };

/** The fields of a question that affect the verdict on its call. */
export type QuestionTraits = Pick<Question, 'risk' | 'reversible' | 'nameable' | 'held' | 'idle'>;

/** Returns true if a person could be asked about a call of this tool, or a rule, a grant or the mode could allow one. */
export async function mayBeAllowed({ engine, workflow, plan }: Asker, tool: Tool): Promise<boolean> {
  if (workflow.approve !== 'none') return true;
  return engine.permissions.mayAllow(createAction(plan, tool, tool.name, null, { risk: 'medium', reversible: true }));
}

/** Returns true if every call of this tool is allowed without a question, whatever its targets. */
export async function isAllowedUnasked({ engine, workflow, plan }: Asker, tool: Tool): Promise<boolean> {
  // With unknown targets, a rule that denies or asks applies whatever its pattern. A rule that allows applies only without one.
  const { effect } = await engine.permissions.explain(createAction(plan, tool, tool.name, null, null));
  return effect === 'allow' || (effect === 'ask' && workflow.approve === 'all');
}

/** Creates the action that rules judge, from a call. `targets`: null if unknown. */
export function createAction(
  plan: AskerPlan,
  tool: Pick<Tool, 'permissions' | 'like' | 'server' | 'startsAgents'> | undefined,
  name: string,
  targets: Targets,
  question: QuestionTraits | null,
): Action {
  const { conversationId, workflowId, agent } = plan.recorder.ids;
  const { folder, requiresApproval, approvalMode: mode } = plan.envelope;
  const permissions = tool?.permissions ?? [];
  return {
    agent,
    scope: scopeOf(agent, plan.kind),
    tool: name,
    like: tool?.like,
    server: tool?.server,
    permissions,
    targets,
    folder,
    conversationId,
    workflowId,
    requires: requiresApproval ?? [],
    ceiling: null,
    starts: startsOf(tool, targets),
    held: question?.held ?? null,
    mode,
    ...callDefaults(permissions, question),
  };
}
