/** What the three tools that start sub-agents share: the same fields, the same rules, the same answers. */
import { z } from 'zod';
import { DEPTH_REFUSAL, MAX_PROMPT_CHARS } from '#contract/limits.ts';
import { TriadError } from '../base/errors.ts';
import type { ChildReport, ChildRequest, Children } from './children.ts';
import type { Targets } from './targets.ts';
import type { QuestionContext, ToolResult } from './tool.ts';

export const PROMPT_RULE =
  'The only input of the sub-agent, which sees nothing of this conversation. Make it complete: Task, Input Data (contents or paths), Expected Output Format, Constraints.';

export const promptField = z
  .string()
  .max(MAX_PROMPT_CHARS)
  .refine((prompt) => prompt.trim() !== '', 'must not be empty');
export const titleField = z.string().max(200).optional().describe('The purpose in 3 to 7 words, for the person.');

/** The bound of the workflow, in one sentence. */
export function atMost(maxSubAgents: number): string {
  return `At most ${maxSubAgents} sub-agent${maxSubAgents === 1 ? '' : 's'} can be started in one workflow, with any tool.`;
}

/** The capability of starting sub-agents. Throws `depth_exceeded` for a run that lacks it, even if the tool was not offered. */
export function requireChildren(context: Pick<QuestionContext, 'children'>): Children {
  if (!context.children) throw new TriadError('depth_exceeded', DEPTH_REFUSAL);
  return context.children;
}

/** Rules match agents by name. A temporary one can also be matched as `spawned:NAME`, because its lead chose the name. */
export function agentTargets(names: readonly string[], isTemporary: boolean): Targets {
  const values = isTemporary ? names.flatMap((name) => [name, `spawned:${name}`]) : names;
  return { values, path: false };
}

/** Who answers an agent that exists already, in place of what its definition says. */
export const answererFields = {
  provider: z.string().optional().describe('Default: that of the agent, else yours.'),
  model: z.string().optional().describe('Model id or alias. Default: that of the agent, else yours.'),
};

/** A request for an existing agent as it is, but for who answers. */
export function delegationRequest(
  agent: string,
  prompt: string,
  reason: string | undefined,
  { provider, model }: { provider?: string | undefined; model?: string | undefined } = {},
): ChildRequest {
  return {
    agent,
    name: null,
    title: reason ?? agent,
    prompt,
    systemPrompt: null,
    tools: null,
    permissions: null,
    mcpServers: null,
    provider: provider ?? null,
    model: model ?? null,
    effort: null,
    seesReports: false,
    maxMinutes: null,
  };
}

/** The lead's result for one report, as JSON. Only a completed run is a success. Throws `internal` without a report. */
export function reportResult(report: ChildReport | undefined): ToolResult {
  if (!report) throw new TriadError('internal', 'The sub-agent gave no report');
  const success = report.outcome === 'completed';
  const output = {
    success,
    child_id: report.runId,
    outcome: report.outcome,
    report: report.report,
    ...(report.error === null ? {} : { error: report.error }),
    ...personFields(report),
    ...chainFields(report),
    ...(report.reviews && { reviews: report.reviews }),
    metrics: metricsOf(report),
  };
  const status =
    success || report.outcome === 'partial'
      ? 'completed'
      : report.status === 'cancelled' && report.outcome === 'cancelled'
        ? 'cancelled'
        : 'error';
  return { status, output: JSON.stringify(output) };
}

/** What the person changed in its settings before it was allowed, and said to it while it worked; nothing where it did neither. */
export function personFields({ edits, said }: Pick<ChildReport, 'edits' | 'said'>): Record<string, unknown> {
  return { ...(edits && { changed_by_person: edits }), ...(said && { person_said_to_it: said }) };
}

/** What the lead is told of a chain; nothing of an agent that nothing follows. */
export function chainFields({ stages, gave }: ChildReport): Record<string, unknown> {
  return {
    ...(stages && {
      chained_stages: stages.map(({ place, runId, ...stage }) => ({ stage: place, child_id: runId, ...stage })),
    }),
    ...(gave && { gave: gave.map(({ runId, ...run }) => ({ child_id: runId, ...run })) }),
  };
}

/** Of the whole chain. */
export function metricsOf({ durationMs, tokensInput, tokensOutput }: ChildReport): Record<string, number> {
  return { duration_ms: Math.round(durationMs), tokens_input: tokensInput, tokens_output: tokensOutput };
}
