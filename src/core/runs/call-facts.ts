/** How a call stands before any rule is looked at: what it is about, whom it starts, and what of it is asked about. */
import type { Envelope } from '#contract/agent.ts';
import type { Subject } from '#contract/approval.ts';
import { allServing } from '#contract/flows/serving-text.ts';
import type { Action } from '../approvals/judge.ts';
import type { Question } from '../tools/question.ts';
import { agentTargets } from '../tools/sub-agent-tools.ts';
import type { Targets } from '../tools/targets.ts';
import { type Tool, writes } from '../tools/tool.ts';
import type { Workspace } from '../workspace/reach.ts';

/** The sub-agent and all that serve it: who is denied starts for no other either, and a yes to one is none to the others. */
export function startedBy(envelope: Envelope, isTemporary: boolean): Targets {
  const served = allServing(envelope).map(({ agent }) => agent);
  const started = agentTargets([envelope.agent], isTemporary);
  if (served.length === 0) return started;
  return { values: [...new Set([...(started?.values ?? []), ...served])], path: false, each: true };
}

/** What a call is about, as far as its tool and its question can tell. */
export async function targetsOf(
  tool: Tool,
  input: unknown,
  workspace: Workspace,
  subject: Subject | undefined,
): Promise<Targets> {
  const targets = await tool.targets?.(input, workspace);
  const startsIn = subject?.kind === 'tool' ? subject.startsIn : undefined;
  if (targets !== undefined) return targets && startsIn !== undefined ? { ...targets, startsIn } : targets;
  return tool.permissions.length === 0 ? { values: [], path: false } : null;
}

/** Of unknown targets it may be a start: `terminate` and the like name none. */
export function startsOf(tool: Pick<Tool, 'startsAgents'> | undefined, targets: Targets): Action['starts'] {
  return targets?.values.length === 0 ? null : (tool?.startsAgents ?? null);
}

/** How a call stands where no rule says anything. */
export function callDefaults(
  permissions: Tool['permissions'],
  question: Pick<Question, 'risk' | 'reversible' | 'nameable' | 'idle'> | null,
): Pick<Action, 'asks' | 'risk' | 'reversible' | 'nameable'> {
  const reaches = writes({ permissions }) || permissions.includes('NetworkAccess');
  const { risk = reaches ? 'medium' : 'low', reversible = true, nameable = false } = question ?? {};
  return { asks: question?.idle === undefined && (question !== null || reaches), risk, reversible, nameable };
}
