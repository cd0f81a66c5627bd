/** Explains what would become of a call: the verdict with all that made it. Nothing is asked, run or counted. */
import { z } from 'zod';
import type { Verdict } from '#contract/permission.ts';
import type { Engine } from './engine.ts';
import { TriadError } from '../base/errors.ts';
import { targetsOf, callDefaults } from './questions.ts';
import type { Question } from '../tools/question.ts';
import type { Tool } from '../tools/tool.ts';
import { actorOf, type Asked } from './actor.ts';
import { type Action, alwaysPut, invalidCallVerdict } from '../approvals/judge.ts';
import type { Targets } from '../tools/targets.ts';
import type { Workspace } from '../tools/reach.ts';
import { workspaceOf } from './workspace-of.ts';

type Parts = Pick<Engine, 'agents' | 'envelopes' | 'permissions' | 'tools' | 'store' | 'own'>;

export async function explain(parts: Parts, asked: Asked & { tool: string; input: unknown }): Promise<Verdict> {
  const { folder, conversationId, workflowId } = asked;
  const tool = parts.tools.get(asked.tool);
  if (!tool)
    return invalidCallVerdict(`There is no tool "${asked.tool}". There are: ${parts.tools.names(true).join(', ')}`);
  const parsed = tool.input.safeParse(asked.input);
  if (!parsed.success)
    return invalidCallVerdict(
      `Invalid arguments for ${tool.name}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
    );
  try {
    const { agent, scope, leads, envelope } = await actorOf(parts, asked);
    const has = parts.tools.offered(envelope.tools, leads).map(({ name }) => name);
    const workspace = await workspaceOf(parts, folder, leads);
    const targets = await targetsOf(tool, parsed.data, workspace);
    const question = await questionOf(tool, parsed.data, targets, workspace);
    const { requiresApproval, approvalMode: mode } = envelope;
    const action: Action = {
      agent,
      scope,
      tool: tool.name,
      like: tool.like,
      permissions: tool.permissions,
      targets,
      folder,
      conversationId,
      workflowId,
      requires: requiresApproval ?? [],
      mode,
      ...callDefaults(tool.permissions, question),
      ceiling: has.includes(tool.name)
        ? null
        : `${agent} does not have the tool ${tool.name}. It has: ${has.sort().join(', ')}`,
    };
    const verdict = await parts.permissions.explain(action);
    return question?.subject?.kind === 'questions' ? alwaysPut(verdict) : verdict;
  } catch (error) {
    if (error instanceof TriadError) return invalidCallVerdict(error.message);
    throw error;
  }
}

/** Starting sub-agents is not proposed, for that takes their slots. */
async function questionOf(
  tool: Tool,
  input: unknown,
  targets: Targets,
  workspace: Workspace,
): Promise<(Pick<Question, 'risk' | 'reversible'> & Partial<Pick<Question, 'subject'>>) | null> {
  const { signal } = new AbortController();
  const context = { toolCallId: 'explain', workspace, signal, children: null };
  if (!tool.primaryOnly) return (await tool.question?.(input, context)) ?? null;
  if (targets === null || targets.values.length === 0) return null;
  return { risk: targets.values.length > 1 ? 'high' : 'medium', reversible: true };
}
