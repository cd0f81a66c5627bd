/** Explains what would become of a call: the verdict with all that made it. Nothing is asked, run or counted. */
import { z } from 'zod';
import type { AgentDefinition, Envelope } from '#contract/agent.ts';
import type { Verdict } from '#contract/permission.ts';
import type { Engine } from '../engine.ts';
import { TriadError } from '../errors.ts';
import { targetsOf, usualOf } from '../questions.ts';
import { delegation } from '../tools/sub-agent-tools.ts';
import type { Question } from '../tools/question.ts';
import type { Tool } from '../tools/tool.ts';
import { type Action, type Targets, unfit } from './judge.ts';

type Parts = Pick<Engine, 'agents' | 'envelopes' | 'permissions' | 'tools'>;

export interface Asked {
  agent: string;
  tool: string;
  input: unknown;
  folder: string;
  conversationId: string | null;
  /** Who would lead the agent. */
  lead: string;
}

export async function explain(parts: Parts, asked: Asked): Promise<Verdict> {
  const tool = parts.tools.get(asked.tool);
  if (!tool)
    return unfit(`There is no tool "${asked.tool}". There are: ${parts.tools.names(true).join(', ')}`);
  const parsed = tool.input.safeParse(asked.input);
  if (!parsed.success)
    return unfit(
      `Invalid arguments for ${tool.name}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
    );
  try {
    const envelope = await envelopeOf(parts, asked);
    const has = parts.tools.offered(envelope.tools, asked.agent === asked.lead).map(({ name }) => name);
    const targets = await targetsOf(tool, parsed.data, asked.folder);
    const question = await questionOf(tool, parsed.data, targets, asked.folder);
    const { requiresApproval, approvalMode: mode } = envelope;
    const action: Action = {
      ...{ agent: asked.agent, scope: asked.agent, tool: tool.name, permissions: tool.permissions, targets },
      ...{ folder: asked.folder, conversationId: asked.conversationId, workflowId: null },
      ...{ requires: requiresApproval ?? [], mode, ...usualOf(tool.permissions, question) },
      ceiling: has.includes(tool.name)
        ? null
        : `${asked.agent} does not have the tool ${tool.name}. It has: ${has.sort().join(', ')}`,
    };
    return await parts.permissions.explain(action);
  } catch (error) {
    if (error instanceof TriadError) return unfit(error.message);
    throw error;
  }
}

/** As it would be resolved now; throws for an agent that cannot be used, or asks for more than its lead has. */
async function envelopeOf(parts: Parts, { agent, lead, folder }: Asked): Promise<Envelope> {
  const agents = await parts.agents.of(folder);
  const definition = agents.lookup(agent);
  if (definition?.role === 'primary') return parts.envelopes.lead(definition, PROMPT, folder);
  const above = mustLead(agents.lookup(lead), lead);
  const parent = parts.envelopes.lead(above, PROMPT, folder);
  return parts.envelopes.child(delegation(agent, PROMPT, undefined), parent, agents);
}

/** An envelope has one; what stands in it makes no difference to what is allowed. */
const PROMPT = '-';

function mustLead(definition: AgentDefinition | null, name: string): AgentDefinition {
  if (definition?.role === 'primary') return definition;
  throw new TriadError('not_found', `agent not found: "${name}" cannot lead a conversation`);
}

/** Starting sub-agents is not proposed, for that takes their slots. */
async function questionOf(
  tool: Tool,
  input: unknown,
  targets: Targets,
  folder: string,
): Promise<Pick<Question, 'risk' | 'reversible'> | null> {
  const { signal } = new AbortController();
  const context = { toolCallId: 'explain', folder, signal, children: null };
  if (!tool.primaryOnly) return (await tool.question?.(input, context)) ?? null;
  if (targets === null || targets.values.length === 0) return null;
  return { risk: targets.values.length > 1 ? 'high' : 'medium', reversible: true };
}
